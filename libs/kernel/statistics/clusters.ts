/**
 * Mean over clustered observations with the cluster-robust (linearised ratio) t interval.
 *
 * The plain t bound is not monotone: raising a far outlier of the improving side shrinks the variance and may
 * lower the upper bound, so a worse measurement could pass where a better one did not. The bounds here are the
 * monotone ones: the upper bound is the least plain bound over all data sets that are at least as high,
 * cluster by cluster. Better data can therefore never read worse. The least is reached by lifting only the
 * lowest residuals to one level (the bound is convex), and nothing is lifted unless a cluster lies more than about
 * sqrt(G)/t standard deviations out; otherwise the bound is the plain one.
 */
import { tQuantile } from './distributions.js';
import type { Interval } from './proportions.js';

export interface ClusterSum {
  /** Sum of the observations of the cluster. */
  sum: number;
  /** Number of them. */
  size: number;
}

export interface ClusterInterval extends Interval {
  /** Plain cluster-robust standard error. */
  standardError: number;
  groups: number;
}

/** @param alpha error on each side. Fewer than two clusters give an unbounded interval. */
export function clusterInterval(clusters: readonly ClusterSum[], alpha: number): ClusterInterval {
  const total = clusters.reduce((sum, cluster) => sum + cluster.size, 0);
  const estimate = total > 0 ? clusters.reduce((sum, cluster) => sum + cluster.sum, 0) / total : 0;
  const groups = clusters.length;
  if (groups < 2 || total <= 0) {
    return { estimate, lower: -Infinity, upper: Infinity, standardError: Infinity, groups };
  }
  const mirrored = clusters.map(({ sum, size }) => ({ sum: -sum, size }));
  const factor = Math.sqrt(groups / (groups - 1)) / total;
  const residualNorm = Math.hypot(...clusters.map(({ sum, size }) => sum - estimate * size));
  const t = tQuantile(1 - alpha, groups - 1);
  return {
    estimate,
    lower: -monotoneUpper(mirrored, t * factor),
    upper: monotoneUpper(clusters, t * factor),
    standardError: factor * residualNorm,
    groups,
  };
}

/** Least of mean(D) + scale · ‖D − mean(D) · sizes‖ over all D ≥ the given sums. */
function monotoneUpper(clusters: readonly ClusterSum[], scale: number): number {
  const total = clusters.reduce((sum, cluster) => sum + cluster.size, 0);
  const mean = clusters.reduce((sum, cluster) => sum + cluster.sum, 0) / total;
  const residuals = clusters.map(({ sum, size }) => sum - mean * size);
  const norm = Math.hypot(...residuals);
  const shift = clusters.reduce((sum, { size }, i) => sum + size * (residuals[i] ?? 0), 0) / total;
  const lowest = Math.min(...residuals) - shift;
  if (lowest >= -norm / (scale * total)) return mean + scale * norm;
  const highest = Math.max(...clusters.map(({ sum, size }) => sum / size));
  return leastOverLevels(clusters, { from: mean, to: highest, scale });
}

/** Ternary search over the mean of the lifted data; the bound is convex in it. */
function leastOverLevels(
  clusters: readonly ClusterSum[],
  { from, to, scale }: { from: number; to: number; scale: number },
): number {
  const bound = (mean: number): number => mean + scale * liftedNorm(clusters, mean);
  let low = from;
  let high = to;
  for (let i = 0; i < 100; i++) {
    const third = (high - low) / 3;
    if (bound(low + third) <= bound(high - third)) high -= third;
    else low += third;
  }
  return Math.min(bound(from), bound((low + high) / 2), bound(to));
}

/** Norm of the residuals about `mean` after the lowest are lifted to one level so that they sum to zero. */
function liftedNorm(clusters: readonly ClusterSum[], mean: number): number {
  const residuals = Float64Array.from(clusters, ({ sum, size }) => sum - mean * size).sort();
  const count = residuals.length;
  let restSum = residuals.reduce((sum, value) => sum + value, 0);
  let restSquares = residuals.reduce((sum, value) => sum + value * value, 0);
  for (let lifted = 0; lifted < count; lifted++) {
    const next = residuals[lifted] ?? 0;
    const level = lifted === 0 ? (restSum >= 0 ? -Infinity : Infinity) : -restSum / lifted;
    if (level <= next)
      return Math.sqrt(Math.max(0, restSquares + (lifted === 0 ? 0 : lifted * level * level)));
    restSum -= next;
    restSquares -= next * next;
  }
  return 0;
}
