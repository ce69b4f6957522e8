import type { ModelCallCapture } from '#contracts/gateway';
import type { Usage } from './contract.js';

/** Sum of counts; a part nobody counted is null, not 0. Cached and reasoning tokens are summed apart: they are subsets. */
export function sumUsage(parts: readonly Usage[]): Usage {
  return {
    inputTokens: sum(parts.map((part) => part.inputTokens)),
    outputTokens: sum(parts.map((part) => part.outputTokens)),
    cacheReadTokens: sum(parts.map((part) => part.cacheReadTokens ?? null)),
    reasoningTokens: sum(parts.map((part) => part.reasoningTokens ?? null)),
  };
}

/** Cost of all calls; null as soon as the price of one is unknown, because a part is not a total. */
export function sumCost(captures: readonly (ModelCallCapture | undefined)[]): number | null {
  if (captures.length === 0) return null;
  return captures.reduce<number | null>((total, capture) => {
    const costUsd = capture?.costUsd ?? null;
    return total === null || costUsd === null ? null : total + costUsd;
  }, 0);
}

function sum(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count): count is number => count !== null);
  return known.length === 0 ? null : known.reduce((total, count) => total + count, 0);
}
