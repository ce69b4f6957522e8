/** Figures from n repeats of a task with c passes. */
import { logChoose } from './distributions.js';

/** Chance that `draws` of `n` items, without replacement, all come from a subset of `size`. */
function allFrom(size: number, n: number, draws: number): number {
  return Math.exp(logChoose(size, draws) - logChoose(n, draws));
}

/**
 * Unbiased pass@k: chance that at least one of k repeats passes. NaN where k > n.
 * Source: Chen et al., arXiv:2107.03374, equation 1.
 */
export function passAtK(n: number, passes: number, k: number): number {
  if (k > n || k < 1) return Number.NaN;
  return 1 - allFrom(n - passes, n, k);
}

/**
 * Chance that a group of G repeats is mixed, so that a group-relative method learns from it:
 * 1 − [C(c,G) + C(n−c,G)] / C(n,G). Average this over tasks; never apply it to the mean pass rate. NaN where G > n.
 */
export function groupSignal(n: number, passes: number, groupSize: number): number {
  if (groupSize > n || groupSize < 1) return Number.NaN;
  return 1 - allFrom(passes, n, groupSize) - allFrom(n - passes, n, groupSize);
}
