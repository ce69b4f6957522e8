/** Content hashes of what serves (design §1): the same policy, prompt, tools and harness have the same digest. Pure. */
import type { ToolDefinition } from '#contracts/chat';
import { samplingOf, type AgentRef, type PolicyCard, type PolicyRef } from '#contracts/policy';
import { contentHash } from '#kernel/ids';

export interface AgentRefInput {
  card: PolicyCard;
  adapter: string | null;
  chatTemplate: string;
  systemPrompt: string;
  tools: readonly ToolDefinition[];
  harnessVersion: string;
}

export function agentRefOf(input: AgentRefInput): AgentRef {
  const policy: PolicyRef = {
    base: input.card.name,
    revision: input.card.revision,
    quantisation: null,
    adapter: input.adapter,
    chatTemplateHash: contentHash(input.chatTemplate),
    toolParser: 'tool-call-tags-json',
    sampling: samplingOf(input.card),
  };
  return {
    policy,
    promptHash: contentHash(input.systemPrompt),
    toolsHash: contentHash(input.tools),
    harnessVersion: input.harnessVersion,
  };
}

export function agentRefDigest(ref: AgentRef): string {
  return contentHash(ref, 32);
}

/** USD of one call; null where a token count is missing: unknown is not free. */
export function callCostUsd(
  card: PolicyCard,
  promptTokens: number | null,
  completionTokens: number | null,
): number | null {
  if (promptTokens === null || completionTokens === null) return null;
  return promptTokens * card.priceUsdPerToken.input + completionTokens * card.priceUsdPerToken.output;
}
