import { seededRng } from '#kernel/random';

import { drawToken, likeliest, logProbability } from './sampler.js';

const LOGITS = Float32Array.from([1, 3, 2, 3, -50]);

function shares(temperature: number, topP: number, draws = 20_000): number[] {
  const rng = seededRng(5);
  const counts = new Array<number>(LOGITS.length).fill(0);
  for (let i = 0; i < draws; i++) counts[drawToken(LOGITS, { temperature, topP }, rng)]! += 1;
  return counts.map((count) => count / draws);
}

describe('drawToken', () => {
  it('takes the likeliest token at temperature 0, the lower of two equals', () => {
    expect(likeliest(LOGITS)).toBe(1);
    expect(shares(0, 1, 10)).toEqual([0, 1, 0, 0, 0]);
  });

  it('draws in proportion to the tempered probabilities', () => {
    const weights = [...LOGITS].map((logit) => Math.exp(logit / 0.7));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    shares(0.7, 1).forEach((share, i) =>
      expect(Math.abs(share - (weights[i] ?? 0) / total)).toBeLessThan(0.012),
    );
  });

  it('draws from the nucleus alone', () => {
    const [a, b, c, d, e] = shares(1, 0.75);
    expect([a, c, e]).toEqual([0, 0, 0]);
    expect(Math.abs((b ?? 0) - 0.5) + Math.abs((d ?? 0) - 0.5)).toBeLessThan(0.03);
  });

  it('refuses logits that are not numbers', () => {
    const broken = Float32Array.from([NaN, NaN]);
    const partly = Float32Array.from([1, NaN]);
    const rng = seededRng(1);
    expect(() => drawToken(broken, { temperature: 1, topP: 1 }, rng)).toThrow(/not numbers/);
    expect(() => drawToken(partly, { temperature: 1, topP: 1 }, rng)).toThrow(/not numbers/);
    expect(() => drawToken(broken, { temperature: 0, topP: 1 }, rng)).toThrow(/not numbers/);
  });
});

describe('logProbability', () => {
  it('is the log of the untempered softmax', () => {
    const sum = [...LOGITS.keys()].reduce(
      (total, token) => total + Math.exp(logProbability(LOGITS, token)),
      0,
    );
    expect(sum).toBeCloseTo(1, 10);
  });
});
