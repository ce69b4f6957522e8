/** The default gate policy (design §8) and what a given one does differently. */
import { canonicalJson } from '#kernel/ids';
import type { GatePolicy, LeastEvidence, PolicyDeviation } from '#contracts/gate';

const FOUR_RUNS: LeastEvidence = { cases: 200, groups: 200, runs: 4 };
const ONE_RUN: LeastEvidence = { cases: 600, groups: 600, runs: 1 };

export const DEFAULT_GATE_POLICY: GatePolicy = {
  success: { margin: 0, alpha: 0.025, clusterAlpha: 0.025, least: [FOUR_RUNS] },
  buckets: { margin: 0, alpha: 0.025, clusterAlpha: 0.025, least: [FOUR_RUNS] },
  unsafe: { margin: 0.01, alpha: 0.01, clusterAlpha: 0.005, least: [FOUR_RUNS, ONE_RUN] },
  invalidOutput: { margin: 0.03, alpha: 0.05, clusterAlpha: 0.05, least: [FOUR_RUNS] },
  toolError: { margin: 0.05, alpha: 0.05, clusterAlpha: 0.05, least: [FOUR_RUNS] },
  general: { margin: 0.04, alpha: 0.05, clusterAlpha: 0.05, least: [{ cases: 400, groups: 400, runs: 4 }] },
  independent: {
    margin: 0.05,
    alpha: 0.01,
    clusterAlpha: 0.01,
    least: [{ cases: 200, groups: 200, runs: 1 }],
  },
  latencyP95: { maxRatio: 1.15, alpha: 0.05, leastCalls: 1_600 },
  costPerSuccess: { maxRatio: 1.1, alpha: 0.05, least: [FOUR_RUNS] },
  slices: { alpha: 0.03, least: { cases: 20, runs: 4 }, required: [] },
  masks: { maxShare: 0.02 },
  readings: { alphaSpending: 'decreasing' },
  bootstrap: { draws: 2_000, seed: 20_260_101 },
};

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function differences(standard: unknown, used: unknown, path: string): PolicyDeviation[] {
  if (isPlainObject(standard) && isPlainObject(used)) {
    const keys = [...new Set([...Object.keys(standard), ...Object.keys(used)])];
    return keys.flatMap((key) => differences(standard[key], used[key], path ? `${path}.${key}` : key));
  }
  return canonicalJson(standard) === canonicalJson(used) ? [] : [{ path, default: standard, used }];
}

/** Every setting of `policy` that is not the default's, by path; lists and disabled checks count as one setting. */
export function deviations(policy: GatePolicy): PolicyDeviation[] {
  return differences(DEFAULT_GATE_POLICY, policy, '');
}
