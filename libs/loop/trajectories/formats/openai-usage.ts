import type { Usage } from '../domain/contract.js';
import { countOf, definedOnly, isObject } from '../domain/json.js';

/** Token counts of OpenAI's chat and Responses APIs; cached and reasoning tokens are subsets and are never added. */
export function openAiUsage(raw: unknown): Usage {
  const usage = isObject(raw) ? raw : {};
  const details = (...keys: string[]): Record<string, unknown> =>
    keys.map((key) => usage[key]).find(isObject) ?? {};
  return definedOnly({
    inputTokens: countOf(usage['prompt_tokens'] ?? usage['input_tokens']) ?? null,
    outputTokens: countOf(usage['completion_tokens'] ?? usage['output_tokens']) ?? null,
    cacheReadTokens: countOf(details('prompt_tokens_details', 'input_tokens_details')['cached_tokens']),
    reasoningTokens: countOf(
      details('completion_tokens_details', 'output_tokens_details')['reasoning_tokens'],
    ),
  });
}
