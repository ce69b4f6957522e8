/** What serves: policies, agents, and how they are named (design §1, §8). */
import { z } from 'zod';

export const SamplingDefaults = z.object({
  temperature: z.number().min(0),
  topP: z.number().min(0).max(1),
  maxTokens: z.number().int().positive(),
});

export type SamplingDefaults = z.infer<typeof SamplingDefaults>;

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

/** card.json beside the weights of a policy; more fields than these (training, measurements) are kept as they are. */
export const PolicyCard = z.looseObject({
  name: z.string(),
  revision: z.string(),
  /** What serving, the gate and the demo decode with. */
  decoding: z.object({
    temperature: z.number().min(0),
    topP: z.number().min(0).max(1),
    maxTokensPerTurn: z.number().int().positive(),
  }),
  priceUsdPerToken: z.object({ input: z.number().min(0), output: z.number().min(0) }),
  maxContextTokens: z.number().int().positive(),
});
export type PolicyCard = z.infer<typeof PolicyCard>;

export function samplingOf(card: PolicyCard): SamplingDefaults {
  const { temperature, topP, maxTokensPerTurn } = card.decoding;
  return { temperature, topP, maxTokens: maxTokensPerTurn };
}
