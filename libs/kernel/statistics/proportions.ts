/** Intervals of one proportion. */
import { betaQuantile, normalQuantile } from './distributions.js';

export interface Interval {
  estimate: number;
  lower: number;
  upper: number;
}

/**
 * Wilson's score interval: for rates that are shown.
 * @param alpha two-sided error, e.g. 0.05 for a 95 % interval.
 */
export function wilsonInterval(successes: number, n: number, alpha = 0.05): Interval {
  if (n <= 0) return { estimate: Number.NaN, lower: 0, upper: 1 };
  const z = normalQuantile(1 - alpha / 2);
  const rate = successes / n;
  const centre = (rate + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n));
  return { estimate: rate, lower: Math.max(0, centre - half), upper: Math.min(1, centre + half) };
}

/**
 * Clopper and Pearson's exact interval: for limits that are promised (never covers less than 1 − alpha).
 * @param alpha two-sided error.
 */
export function clopperPearsonInterval(successes: number, n: number, alpha = 0.05): Interval {
  if (n <= 0) return { estimate: Number.NaN, lower: 0, upper: 1 };
  return {
    estimate: successes / n,
    lower: successes === 0 ? 0 : betaQuantile(alpha / 2, successes, n - successes + 1),
    upper: successes === n ? 1 : betaQuantile(1 - alpha / 2, successes + 1, n - successes),
  };
}
