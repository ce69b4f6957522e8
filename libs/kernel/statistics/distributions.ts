/**
 * Normal, t, beta and binomial functions under names of our own. jStat computes them to about 1e-8 relative
 * (checked against published tables and closed forms in the spec). Probabilities are in [0, 1].
 */
import jstat from 'jstat';

const { jStat } = jstat;

/** P(Z ≤ z) of the standard normal. */
export function normalCdf(z: number): number {
  return jStat.normal.cdf(z, 0, 1);
}

/** z with P(Z ≤ z) = p. */
export function normalQuantile(p: number): number {
  return jStat.normal.inv(p, 0, 1);
}

/** P(T ≤ t) of Student's t; degrees of freedom need not be whole. */
export function tCdf(t: number, degreesOfFreedom: number): number {
  return jStat.studentt.cdf(t, degreesOfFreedom);
}

/** t with P(T ≤ t) = p. */
export function tQuantile(p: number, degreesOfFreedom: number): number {
  return jStat.studentt.inv(p, degreesOfFreedom);
}

/** Regularised incomplete beta function I_x(a, b). */
export function betaCdf(x: number, a: number, b: number): number {
  return jStat.ibeta(x, a, b);
}

/** x with I_x(a, b) = p. */
export function betaQuantile(p: number, a: number, b: number): number {
  return jStat.beta.inv(p, a, b);
}

/** P(X ≥ k) for X ~ Binomial(n, p). Also defined for fractional k and n, as the continuous extension. */
export function binomialUpperTail(k: number, n: number, p: number): number {
  if (k <= 0) return 1;
  if (k > n) return 0;
  return betaCdf(p, k, n - k + 1);
}

/** Natural log of n over k; −Infinity where k is outside 0..n. */
export function logChoose(n: number, k: number): number {
  if (k < 0 || k > n) return -Infinity;
  if (k === 0 || k === n) return 0;
  return jStat.gammaln(n + 1) - jStat.gammaln(k + 1) - jStat.gammaln(n - k + 1);
}
