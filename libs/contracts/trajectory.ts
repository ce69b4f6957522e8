/**
 * The canonical trajectory (design §1, §9): what every dialect becomes, what triage reads, what the API answers.
 */
import { z } from 'zod';
import { ToolDefinition } from './chat.js';

/** Nanoseconds since the epoch as a decimal string: int64 does not fit a JSON number. */
export const Nanoseconds = z.string().regex(/^\d+$/);

export const Usage = z.object({
  inputTokens: z.number().int().nullable(),
  outputTokens: z.number().int().nullable(),
  /** A subset of the input tokens: never add it. */
  cacheReadTokens: z.number().int().nullable().optional(),
  /** A subset of the output tokens: never add it. */
  reasoningTokens: z.number().int().nullable().optional(),
});

export const StepToolCall = z.object({
  id: z.string(),
  name: z.string(),
  /** The source's own string, byte for byte (for an object source: equal JSON). */
  arguments: z.string(),
});

export const Step = z.object({
  /** Stable: from span and call id, or from the source row and position. */
  stepId: z.string(),
  index: z.number().int(),
  /** 0-based message of an imported source. */
  sourceIndex: z.number().int().optional(),
  kind: z.enum(['message', 'model_call', 'tool_call', 'observation', 'intervention']),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  agent: z.string().optional(),
  content: z.string().nullable(),
  toolCalls: z.array(StepToolCall).optional(),
  toolName: z.string().optional(),
  /** Id of the call an observation answers, or of the call a tool_call step is. */
  toolCallId: z.string().optional(),
  arguments: z.string().optional(),
  error: z.string().optional(),
  model: z.string().optional(),
  responseModel: z.string().optional(),
  responseId: z.string().optional(),
  provider: z.string().optional(),
  finishReasons: z.array(z.string()).optional(),
  usage: Usage.optional(),
  startNs: Nanoseconds.optional(),
  endNs: Nanoseconds.optional(),
});
export type Step = z.infer<typeof Step>;

export const Outcome = z.object({
  value: z.enum(['success', 'failure', 'unknown']),
  source: z.enum(['explicit', 'feedback', 'environment', 'inferred', 'none']),
  confidence: z.number(),
});
export type Outcome = z.infer<typeof Outcome>;

export const Trajectory = z.object({
  id: z.string(),
  projectId: z.string(),
  externalId: z.string(),
  revision: z.number().int(),
  /** Where it came from: `otlp`, `gateway`, or the import format. */
  source: z.string(),
  agent: z.string(),
  /** Content hash of the AgentRef stamped by the gateway; null where unknown. */
  agentRef: z.string().nullable(),
  /** Policy content name that served it (gateway's `model`); null where unknown. */
  policy: z.string().nullable(),
  sessionId: z.string().nullable(),
  traceId: z.string().nullable(),
  outcome: Outcome,
  reward: z.number().nullable(),
  /** Tools offered to the model, where known. */
  tools: z.array(ToolDefinition),
  steps: z.array(Step),
  /** The source's own identifiers; `label.*` keys are never shown to a detector. */
  metadata: z.record(z.string(), z.unknown()),
  startedAtNs: Nanoseconds,
  endedAtNs: Nanoseconds,
  usage: Usage,
  costUsd: z.number().nullable(),
});
export type Trajectory = z.infer<typeof Trajectory>;

/** A trajectory is complete (a revision of it is stored): triage reads it by id. Stream topic `completed.v1`. */
export const TrajectoryCompleted = z.object({
  projectId: z.string(),
  trajectoryId: z.string(),
  revision: z.number().int(),
});
export type TrajectoryCompleted = z.infer<typeof TrajectoryCompleted>;
export const COMPLETED_TOPIC = 'completed.v1';
