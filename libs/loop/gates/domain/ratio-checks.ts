/** p95 of a model call and cost per successful task: ratios, bounded by bootstraps with fixed indices. */
import type { GateCheck, GateEvidence, GatePolicy } from '#contracts/gate';
import { clusterRatioInterval, quantileRatioInterval, type RatioCluster } from '#kernel/statistics/bootstrap';
import { againstOf, check, idOf, lackingEvidence, type CheckHead, type SuiteEvidence } from './checks.js';
import type { ReferenceArm } from './pairs.js';

const times = (ratio: number): string => (Number.isFinite(ratio) ? `× ${ratio.toFixed(2)}` : 'without bound');

interface LatencyArm {
  samples: readonly number[] | undefined;
  calls: number | undefined;
}

/** Percentile bootstrap of the p95 ratio. A sample that is not whole (fewer times than calls) blocks. */
export function latencyCheck(
  latency: GateEvidence['latency'],
  arm: ReferenceArm,
  { policy, alphaShare }: { policy: GatePolicy; alphaShare: number },
): GateCheck {
  const rule = policy.latencyP95;
  const head: CheckHead = {
    id: idOf('latency.p95', arm),
    group: 'latency',
    against: againstOf(arm),
    metric: 'p95 of a model call (ms)',
    test: 'percentile bootstrap with fixed indices',
  };
  if (!rule) return check(head, { status: 'skipped', explanation: 'The policy does not judge latency.' });
  const alpha = rule.alpha * alphaShare;
  const reference: LatencyArm =
    arm === 'baseline'
      ? { samples: latency.baselineMs, calls: latency.calls.baseline }
      : { samples: latency.anchorMs, calls: latency.calls.anchor };
  const candidate: LatencyArm = { samples: latency.candidateMs, calls: latency.calls.candidate };
  const full = { ...head, alpha, margin: rule.maxRatio };
  const lack = latencyLack([reference, candidate], latency.interleaved, rule.leastCalls);
  if (lack || !reference.samples || !candidate.samples) return check(full, lack ?? NO_TIMES);
  const bound = quantileRatioInterval(
    { baseline: reference.samples, candidate: candidate.samples, quantile: 0.95 },
    { alpha, ...policy.bootstrap },
  );
  return check(full, {
    baseline: p95(reference.samples),
    candidate: p95(candidate.samples),
    difference: bound.estimate,
    lower: bound.lower,
    upper: bound.upper,
    runs: reference.samples.length + candidate.samples.length,
    status: bound.upper <= rule.maxRatio ? 'pass' : 'fail',
    explanation: `The p95 is ${times(bound.estimate)} of the reference, at most ${times(bound.upper)}; allowed: ${times(rule.maxRatio)}.`,
  });
}

const NO_TIMES = { status: 'missing', explanation: 'One arm has no measured model calls.' } as const;

const p95 = (samples: readonly number[]): number =>
  Float64Array.from(samples).sort()[Math.max(0, Math.ceil(0.95 * samples.length) - 1)] ?? Number.NaN;

function latencyLack(
  arms: readonly LatencyArm[],
  interleaved: boolean,
  least: number,
): Pick<GateCheck, 'status' | 'explanation' | 'needs'> | null {
  const counts = arms.map(({ samples }) => samples?.length ?? 0);
  const fewest = Math.min(...counts);
  if (fewest === 0) return { ...NO_TIMES, needs: `at least ${least} calls in each arm` };
  if (!interleaved) {
    return {
      status: 'missing',
      needs: 'times of both arms taken in turns on one server',
      explanation: 'The arms were not measured in turns, so their times cannot be compared.',
    };
  }
  if (fewest < least) {
    return {
      status: 'insufficient',
      needs: `at least ${least} calls in each arm; there are ${counts.join(' and ')}`,
      explanation: 'There are too few timed model calls.',
    };
  }
  if (arms.every(({ samples, calls }) => samples?.length === calls)) return null;
  return {
    status: 'missing',
    needs: `all ${arms.map(({ calls }) => calls ?? 'counted').join(' and ')} times`,
    explanation: 'Times are missing: fewer were handed in than calls were made.',
  };
}

/** Costs and successes by lineage group; null where the cost of a planned run is not known. */
function costClusters({ cases, plan }: SuiteEvidence, arm: ReferenceArm): RatioCluster[] | null {
  const clusters = new Map<string, RatioCluster>();
  for (const { runs, lineageKey } of cases) {
    const cluster = clusters.get(lineageKey) ?? {
      candidateAmount: 0,
      candidateCount: 0,
      baselineAmount: 0,
      baselineCount: 0,
    };
    const reference = runs[arm] ?? [];
    if (runs.candidate.length < plan.runs || reference.length < plan.runs) return null;
    for (const run of runs.candidate) {
      if (run.costUsd === null) return null;
      cluster.candidateAmount += run.costUsd;
      if (run.state === 'scored' && run.success) cluster.candidateCount++;
    }
    for (const run of reference) {
      if (run.costUsd === null) return null;
      cluster.baselineAmount += run.costUsd;
      if (run.state !== 'scored' || run.success !== false) cluster.baselineCount++;
    }
    clusters.set(lineageKey, cluster);
  }
  return [...clusters.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster);
}

/** Cluster bootstrap of cost ÷ successes, candidate over reference. An unknown price is not 0: it blocks. */
export function costCheck(
  suite: SuiteEvidence,
  arm: ReferenceArm,
  { policy, alphaShare }: { policy: GatePolicy; alphaShare: number },
): GateCheck {
  const rule = policy.costPerSuccess;
  const head: CheckHead = {
    id: idOf('cost.per-success', arm),
    group: 'cost',
    against: againstOf(arm),
    metric: 'cost per successful task (USD)',
    test: 'cluster bootstrap of the ratio',
  };
  if (!rule) return check(head, { status: 'skipped', explanation: 'The policy does not judge cost.' });
  const alpha = rule.alpha * alphaShare;
  const full = { ...head, alpha, margin: rule.maxRatio };
  const groups = new Set(suite.cases.map(({ lineageKey }) => lineageKey)).size;
  const counts = { cases: suite.cases.length, groups, runs: 2 * suite.cases.length * suite.plan.runs };
  const lacking = lackingEvidence({ ...counts, runs: suite.plan.runs }, rule.least);
  if (lacking) {
    return check(full, {
      ...counts,
      status: 'insufficient',
      needs: lacking,
      explanation: 'There is too little evidence to judge.',
    });
  }
  const clusters = costClusters(suite, arm);
  if (!clusters) {
    const explanation = 'The cost of at least one run is not known; an unknown price is not zero.';
    return check(full, {
      ...counts,
      status: 'missing',
      needs: 'the cost of every planned run of both arms',
      explanation,
    });
  }
  const bound = clusterRatioInterval(clusters, { alpha, ...policy.bootstrap });
  return check(full, {
    ...counts,
    baseline: bound.baseline,
    candidate: bound.candidate,
    difference: bound.ratio,
    lower: bound.lower,
    upper: bound.upper,
    status: bound.upper <= rule.maxRatio ? 'pass' : 'fail',
    explanation: `A success costs ${times(bound.ratio)} of the reference's, at most ${times(bound.upper)}; allowed: ${times(rule.maxRatio)}.`,
  });
}
