/**
 * Bootstraps for ratios (never for rates: on rare events they pass too easily). The resampled indices depend on the
 * seed and the sizes alone, so raising any candidate value raises every resampled ratio, and with it the bound.
 */
import { seededRng } from '../random.js';
import { binomialUpperTail } from './distributions.js';
import type { Interval } from './proportions.js';

export interface BootstrapOptions {
  /** Error on each side. */
  alpha: number;
  draws: number;
  seed: number;
}

/** Nearest-rank quantile of values sorted upwards; NaN when empty. */
export function sortedQuantile(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length)));
  return sorted[rank - 1] ?? Number.NaN;
}

/** candidate ÷ baseline for values ≥ 0, without NaN: nothing over nothing is 1, something over nothing unbounded. */
function safeRatio(candidate: number, baseline: number): number {
  if (baseline > 0) return candidate / baseline;
  return candidate > 0 ? Infinity : 1;
}

function percentileBounds(ratios: Float64Array, alpha: number): { lower: number; upper: number } {
  ratios.sort();
  return { lower: sortedQuantile(ratios, alpha), upper: sortedQuantile(ratios, 1 - alpha) };
}

/**
 * Which value of a sorted sample is the quantile of a resample of it, as a function of one uniform draw. Resampling n
 * values and taking the k-th is the same as drawing its index from P(index ≤ j) = P(Binomial(n, (j+1)/n) ≥ k).
 */
function resampledQuantileIndex(n: number, quantile: number): (uniform: number) => number {
  const k = Math.min(n, Math.max(1, Math.ceil(quantile * n)));
  const cumulative = Float64Array.from({ length: n }, (_, j) =>
    j + 1 < n ? binomialUpperTail(k, n, (j + 1) / n) : 1,
  );
  return (uniform) => {
    let low = 0;
    let high = n - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((cumulative[middle] ?? 1) > uniform) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}

/**
 * Ratio of a quantile (e.g. p95) of two independent samples of values ≥ 0, candidate over baseline.
 * An empty sample gives the whole range.
 */
export function quantileRatioInterval(
  samples: { baseline: readonly number[]; candidate: readonly number[]; quantile: number },
  { alpha, draws, seed }: BootstrapOptions,
): Interval {
  const baseline = Float64Array.from(samples.baseline).sort();
  const candidate = Float64Array.from(samples.candidate).sort();
  if (baseline.length === 0 || candidate.length === 0)
    return { estimate: Number.NaN, lower: 0, upper: Infinity };
  const rng = seededRng(seed);
  const drawCandidate = resampledQuantileIndex(candidate.length, samples.quantile);
  const drawBaseline = resampledQuantileIndex(baseline.length, samples.quantile);
  const ratios = Float64Array.from({ length: draws }, () =>
    safeRatio(
      candidate[drawCandidate(rng.next())] ?? Number.NaN,
      baseline[drawBaseline(rng.next())] ?? Number.NaN,
    ),
  );
  return {
    estimate: safeRatio(
      sortedQuantile(candidate, samples.quantile),
      sortedQuantile(baseline, samples.quantile),
    ),
    ...percentileBounds(ratios, alpha),
  };
}

/** One cluster's totals in both arms: e.g. cost and successes. */
export interface RatioCluster {
  candidateAmount: number;
  candidateCount: number;
  baselineAmount: number;
  baselineCount: number;
}

/** Amount per counted event in an arm (cost per success) and the ratio of the two arms. */
export interface AmountRatio {
  baseline: number;
  candidate: number;
  ratio: number;
}

/** Without a counted event the amount per event is unbounded; the ratio is unbounded where the candidate's is. */
export function amountRatio(clusters: readonly RatioCluster[]): AmountRatio {
  const total = { candidateAmount: 0, candidateCount: 0, baselineAmount: 0, baselineCount: 0 };
  for (const cluster of clusters) {
    total.candidateAmount += cluster.candidateAmount;
    total.candidateCount += cluster.candidateCount;
    total.baselineAmount += cluster.baselineAmount;
    total.baselineCount += cluster.baselineCount;
  }
  const candidate = total.candidateCount > 0 ? total.candidateAmount / total.candidateCount : Infinity;
  const baseline = total.baselineCount > 0 ? total.baselineAmount / total.baselineCount : Infinity;
  if (candidate === Infinity) return { baseline, candidate, ratio: Infinity };
  return { baseline, candidate, ratio: baseline === Infinity ? 0 : safeRatio(candidate, baseline) };
}

/** Cluster bootstrap of the ratio of amounts per counted event; clusters are drawn for both arms together. */
export function clusterRatioInterval(
  clusters: readonly RatioCluster[],
  { alpha, draws, seed }: BootstrapOptions,
): Interval & AmountRatio {
  const whole = amountRatio(clusters);
  if (clusters.length < 2) return { ...whole, estimate: whole.ratio, lower: 0, upper: Infinity };
  const rng = seededRng(seed);
  const ratios = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    ratios[draw] = amountRatio(clusters.map(() => rng.pick(clusters))).ratio;
  }
  return { ...whole, estimate: whole.ratio, ...percentileBounds(ratios, alpha) };
}

/** Mean over tasks with its percentile interval from resampled tasks; for shown figures such as pass@k or signal. */
export function taskBootstrapInterval(
  values: readonly number[],
  { alpha, draws, seed }: BootstrapOptions,
): Interval {
  if (values.length === 0) return { estimate: Number.NaN, lower: Number.NaN, upper: Number.NaN };
  const rng = seededRng(seed);
  const means = new Float64Array(draws);
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (let i = 0; i < values.length; i++) sum += rng.pick(values);
    means[draw] = sum / values.length;
  }
  const estimate = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { estimate, ...percentileBounds(means, alpha) };
}
