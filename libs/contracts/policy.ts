/** What serves: policies, agents, and how they are named (design §1, §8). */
import { z } from 'zod';

export const SamplingDefaults = z.object({
  temperature: z.number().min(0),
  topP: z.number().min(0).max(1),
  maxTokens: z.number().int().positive(),
});

export const PolicyRef = z.object({
  base: z.string(),
  revision: z.string(),
  quantisation: z.string().nullable(),
  /** Content name of the adapter; null is the base itself. */
  adapter: z.string().nullable(),
  chatTemplateHash: z.string(),
  toolParser: z.string(),
  sampling: SamplingDefaults,
});
export type PolicyRef = z.infer<typeof PolicyRef>;

export const AgentRef = z.object({
  policy: PolicyRef,
  promptHash: z.string(),
  toolsHash: z.string(),
  harnessVersion: z.string(),
});
export type AgentRef = z.infer<typeof AgentRef>;

/** card.json beside the weights of a policy. */
export const PolicyCard = z.object({
  name: z.string(),
  revision: z.string(),
  decoding: SamplingDefaults,
  /** USD per million tokens. */
  price: z.object({ inputPerMillionUsd: z.number(), outputPerMillionUsd: z.number() }),
  contextTokens: z.number().int(),
});
export type PolicyCard = z.infer<typeof PolicyCard>;
