/** Draws one token from a row of logits. One random number a token, so a request's draws depend on its own seed alone. */
import type { Rng } from '#kernel/random';

export interface Sampling {
  /** 0 takes the likeliest token. */
  temperature: number;
  /** Smallest set of likeliest tokens whose probabilities reach this sum; 1 keeps all. */
  topP: number;
}

/** Index of the highest logit; the lower index wins a tie. */
export function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
  return best;
}

/**
 * The next token of a row.
 * @throws RangeError when the logits are not numbers: a broken model must not answer.
 */
export function drawToken(logits: Float32Array, sampling: Sampling, rng: Rng): number {
  const best = likeliest(logits);
  const top = logits[best] as number;
  if (!Number.isFinite(top)) throw new RangeError('the policy gave logits that are not numbers');
  if (sampling.temperature <= 0) return best;
  const { weights, total } = temperedWeights(logits, top, sampling.temperature);
  if (!Number.isFinite(total)) throw new RangeError('the policy gave logits that are not numbers');
  const kept = sampling.topP < 1 ? keepNucleus(weights, sampling.topP * total) : total;
  let left = rng.next() * kept;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i] as number;
    if (left < 0 && (weights[i] as number) > 0) return i;
  }
  return best;
}

/** Plain loops: this runs once a token, and callbacks over typed arrays cost more than the whole model step. */
function temperedWeights(
  logits: Float32Array,
  top: number,
  temperature: number,
): { weights: Float64Array; total: number } {
  const weights = new Float64Array(logits.length);
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const weight = Math.exp(((logits[i] as number) - top) / temperature);
    weights[i] = weight;
    total += weight;
  }
  return { weights, total };
}

/** Zeroes what lies outside the nucleus; returns the weight inside. */
function keepNucleus(weights: Float64Array, wanted: number): number {
  const order = Array.from(weights.keys()).sort(
    (a, b) => (weights[b] as number) - (weights[a] as number) || a - b,
  );
  let sum = 0;
  for (const index of order) {
    if (sum >= wanted) weights[index] = 0;
    else sum += weights[index] as number;
  }
  return sum;
}

/** Natural log of the token's probability before temperature and nucleus. */
export function logProbability(logits: Float32Array, token: number): number {
  const top = logits[likeliest(logits)] as number;
  const total = logits.reduce((sum, logit) => sum + Math.exp(logit - top), 0);
  return (logits[token] as number) - top - Math.log(total);
}
