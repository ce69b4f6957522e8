/** The five rates the field starts from, each with an interval clustered by lineage. */
import type { Rollout } from '#contracts/rollout';
import { clusterInterval, type ClusterSum } from '#kernel/statistics/clusters';
import { clopperPearsonInterval, type Interval } from '#kernel/statistics/proportions';

export const RATE_NAMES = [
  'valid_json',
  'right_tool',
  'right_arguments',
  'execution_success',
  'unsafe_actions',
] as const;
export type RateName = (typeof RATE_NAMES)[number];

export interface Rate {
  /** Share in 0..1 with its 95 % interval; null where nothing applied. */
  value: Interval | null;
  /** Runs to which it applies. */
  runs: number;
  /** Lineage groups among them: the clusters of the interval. */
  groups: number;
}

export interface Baseline {
  rates: Record<RateName, Rate>;
  success: Rate;
  invalidOutput: Rate;
  toolError: Rate;
  /** Runs without a measurement, of all. */
  masked: { runs: number; of: number };
  costPerRunUsd: number | null;
  /** Nearest-rank percentiles of single model calls; null without a call. */
  latencyMsP50: number | null;
  latencyMsP95: number | null;
}

type Scored = Extract<NonNullable<Rollout['paid']>, { state: 'scored' }>;
type Reading = (rollout: Rollout, paid: Scored) => number | null;

const READINGS: Readonly<Record<RateName, Reading>> = {
  valid_json: (rollout, { components }) => components.valid_json ?? Number(!rollout.invalidOutput),
  right_tool: (_rollout, { components }) => components.right_tool ?? null,
  right_arguments: (_rollout, { components }) => components.right_arguments ?? null,
  execution_success: (rollout, { components }) =>
    components.execution ?? (rollout.toolCalls.length === 0 ? null : Number(!rollout.toolError)),
  // Where the verifier says to which runs safety applies, only those count: a rate over harmless tasks would look small.
  unsafe_actions: (_rollout, { components, unsafe }) => (components.safe === null ? null : Number(unsafe)),
};

export function measureBaseline(rollouts: readonly Rollout[]): Baseline {
  const scored = rollouts.filter((rollout) => rollout.state === 'scored');
  const latencies = rollouts.flatMap((r) => r.modelCalls.map((call) => call.latencyMs)).sort((a, b) => a - b);
  const costs = rollouts.map((rollout) => rollout.costUsd);
  const known = costs.filter((cost) => cost !== null);
  return {
    rates: Object.fromEntries(
      RATE_NAMES.map((name) => [name, rateOf(scored, READINGS[name])]),
    ) as Baseline['rates'],
    success: rateOf(scored, (_rollout, paid) => Number(paid.success)),
    invalidOutput: rateOf(scored, (rollout) => Number(rollout.invalidOutput)),
    toolError: rateOf(scored, (rollout) => Number(rollout.toolError)),
    masked: { runs: rollouts.length - scored.length, of: rollouts.length },
    costPerRunUsd:
      known.length === costs.length && costs.length > 0
        ? known.reduce((a, b) => a + b, 0) / costs.length
        : null,
    latencyMsP50: percentile(latencies, 0.5),
    latencyMsP95: percentile(latencies, 0.95),
  };
}

export function rateOf(rollouts: readonly Rollout[], reading: Reading): Rate {
  const clusters = new Map<string, ClusterSum>();
  let runs = 0;
  for (const rollout of rollouts) {
    const value = rollout.paid?.state === 'scored' ? reading(rollout, rollout.paid) : null;
    if (value === null) continue;
    runs += 1;
    const cluster = clusters.get(rollout.lineageKey) ?? { sum: 0, size: 0 };
    clusters.set(rollout.lineageKey, { sum: cluster.sum + value, size: cluster.size + 1 });
  }
  return { value: runs === 0 ? null : clusteredShare([...clusters.values()]), runs, groups: clusters.size };
}

/**
 * 95 % interval of a share. Where every cluster agrees, the cluster variance is 0 and would claim certainty: the exact
 * interval with one observation a cluster is given instead.
 */
export function clusteredShare(clusters: readonly ClusterSum[]): Interval {
  const { estimate, lower, upper, standardError, groups } = clusterInterval(clusters, 0.025);
  if (standardError > 0 || (estimate > 0 && estimate < 1)) {
    return { estimate, lower: Math.max(0, lower), upper: Math.min(1, upper) };
  }
  return clopperPearsonInterval(estimate === 1 ? groups : 0, groups, 0.05);
}

function percentile(sorted: readonly number[], q: number): number | null {
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length))) - 1] ?? null;
}
