/** What the gateway captures of a model call; an OTLP model call with the same response id is that same step (design §4). */
import { z } from 'zod';

export const ModelCallCapture = z.object({
  projectId: z.string(),
  /** Unique `id` of the response. */
  responseId: z.string(),
  agent: z.string(),
  /** Content name of the policy or adapter that answered. */
  policy: z.string(),
  /** Digest of the AgentRef that served. */
  agentRef: z.string(),
  sessionId: z.string().nullable(),
  promptTokens: z.number().int().nullable(),
  completionTokens: z.number().int().nullable(),
  /** Null where the price is unknown, never 0. */
  costUsd: z.number().nullable(),
  latencyMs: z.number(),
  /** Nanoseconds since the epoch. */
  servedAtNs: z.string(),
});
export type ModelCallCapture = z.infer<typeof ModelCallCapture>;

/** Body of POST /v1/chat/completions as far as the gateway reads it; everything else passes through. */
export const ChatCompletionRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(z.looseObject({ role: z.string() })).min(1),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().positive().optional(),
});
export type ChatCompletionRequest = z.infer<typeof ChatCompletionRequest>;
