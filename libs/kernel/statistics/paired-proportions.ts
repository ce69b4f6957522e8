/**
 * Two rates measured on the same cases. `onlyCandidate` counts pairs with the event in the candidate alone,
 * `onlyBaseline` those with it in the baseline alone. Counts may be fractional (expected discordance of
 * several runs a case); whole counts give the published tests.
 */
import { binomialUpperTail, normalQuantile } from './distributions.js';
import type { Interval } from './proportions.js';

export interface DiscordantPairs {
  onlyCandidate: number;
  onlyBaseline: number;
  /** All pairs, concordant ones too. */
  pairs: number;
}

/**
 * Exact McNemar test, one-sided: the chance of at least `wins` of the discordant pairs under no difference.
 * It can only grow when a win becomes a tie or a tie a loss.
 */
export function mcnemarExact(wins: number, losses: number): number {
  return binomialUpperTail(wins, wins + losses, 0.5);
}

/**
 * Tango's score statistic of H0: rate(candidate) − rate(baseline) = delta.
 * Source: T. Tango, Statistics in Medicine 17 (1998) 891–908.
 */
export function tangoStatistic(
  { onlyCandidate: b, onlyBaseline: c, pairs: n }: DiscordantPairs,
  delta: number,
): number {
  const numerator = b - c - n * delta;
  const linear = -b - c + (2 * n - b + c) * delta;
  const constant = -c * delta * (1 - delta);
  const restricted = (Math.sqrt(Math.max(0, linear * linear - 8 * n * constant)) - linear) / (4 * n);
  const variance = n * (2 * restricted + delta * (1 - delta));
  if (variance > 0) return numerator / Math.sqrt(variance);
  return numerator === 0 ? 0 : numerator * Infinity;
}

/**
 * Tango's score interval of the difference of two paired rates.
 * @param alpha error on each side: 0.025 gives the 95 % interval.
 */
export function tangoInterval(counts: DiscordantPairs, alpha: number): Interval {
  if (counts.pairs <= 0) return { estimate: 0, lower: -1, upper: 1 };
  const z = normalQuantile(1 - alpha);
  const crossing = (level: number): number => {
    let low = -1;
    let high = 1;
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (tangoStatistic(counts, middle) > level) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  return {
    estimate: (counts.onlyCandidate - counts.onlyBaseline) / counts.pairs,
    lower: crossing(z),
    upper: crossing(-z),
  };
}

/** Fewest pairs with which a perfect record (no discordant pair) lies below `margin` in Tango's interval. */
export function leastPairsForMargin(margin: number, alpha: number): number {
  if (margin <= 0) return 1;
  const z = normalQuantile(1 - alpha);
  return Math.ceil((z * z * (1 - margin)) / margin);
}
