import fc from 'fast-check';
import { seededRng } from '../random.js';
import {
  amountRatio,
  clusterRatioInterval,
  quantileRatioInterval,
  sortedQuantile,
  taskBootstrapInterval,
} from './bootstrap.js';

const OPTIONS = { alpha: 0.05, draws: 300, seed: 7 };

describe('percentile ratio bootstrap', () => {
  const rng = seededRng(1);
  const sample = Array.from({ length: 900 }, () => 10 - 5 * Math.log(1 - rng.next()));

  it('holds the true ratio of two samples of one distribution', () => {
    const other = Array.from({ length: 900 }, () => 10 - 5 * Math.log(1 - rng.next()));
    const { lower, upper, estimate } = quantileRatioInterval(
      { baseline: sample, candidate: other, quantile: 0.95 },
      OPTIONS,
    );
    expect(lower).toBeLessThan(1);
    expect(upper).toBeGreaterThan(1);
    expect(estimate).toBeCloseTo(1, 0);
  });

  it('agrees with a plain bootstrap that resamples every value', () => {
    const small = sample.slice(0, 60);
    const p95 = (): number => sortedQuantile(Float64Array.from(small, () => rng.pick(small)).sort(), 0.95);
    const plain = Float64Array.from({ length: 3_000 }, () => p95() / p95()).sort();
    const options = { ...OPTIONS, draws: 3_000 };
    const { lower, upper } = quantileRatioInterval(
      { baseline: small, candidate: small, quantile: 0.95 },
      options,
    );
    expect(Math.abs(lower - sortedQuantile(plain, 0.05))).toBeLessThan(0.06);
    expect(Math.abs(upper - sortedQuantile(plain, 0.95))).toBeLessThan(0.12);
  });

  it('scales with the candidate and is the same at every call', () => {
    const doubled = sample.map((ms) => 2 * ms);
    const first = quantileRatioInterval({ baseline: sample, candidate: doubled, quantile: 0.95 }, OPTIONS);
    expect(first.estimate).toBeCloseTo(2, 10);
    expect(first.lower).toBeGreaterThan(1.5);
    expect(quantileRatioInterval({ baseline: sample, candidate: doubled, quantile: 0.95 }, OPTIONS)).toEqual(
      first,
    );
  });

  it('never reads better when a call of the candidate gets slower', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 60 }),
        fc.nat(),
        fc.double({ min: 0, max: 100, noNaN: true }),
        (baseline, candidate, which, by) => {
          const slower = candidate.map((ms, i) => (i === which % candidate.length ? ms + by : ms));
          const options = { ...OPTIONS, draws: 50 };
          const before = quantileRatioInterval({ baseline, candidate, quantile: 0.95 }, options);
          expect(
            quantileRatioInterval({ baseline, candidate: slower, quantile: 0.95 }, options).upper,
          ).toBeGreaterThanOrEqual(before.upper);
        },
      ),
      { seed: 2, numRuns: 200 },
    );
  });

  it('takes nearest ranks and has no answer for nothing', () => {
    expect(sortedQuantile([1, 2, 3, 4], 0.5)).toBe(2);
    expect(sortedQuantile([1, 2, 3, 4], 0.95)).toBe(4);
    expect(quantileRatioInterval({ baseline: [], candidate: [1], quantile: 0.95 }, OPTIONS).upper).toBe(
      Infinity,
    );
  });
});

describe('amount per counted event', () => {
  const cluster = { candidateAmount: 4, candidateCount: 2, baselineAmount: 4, baselineCount: 1 };

  it('divides the totals, not the clusters', () => {
    const free = { candidateAmount: 0, candidateCount: 2, baselineAmount: 0, baselineCount: 0 };
    expect(amountRatio([cluster, free])).toEqual({ candidate: 1, baseline: 4, ratio: 0.25 });
  });

  it('is unbounded for a candidate without a success, and never NaN', () => {
    expect(amountRatio([{ ...cluster, candidateCount: 0 }]).ratio).toBe(Infinity);
    expect(amountRatio([{ ...cluster, baselineCount: 0 }]).ratio).toBe(0);
    expect(
      amountRatio([{ candidateAmount: 0, candidateCount: 1, baselineAmount: 0, baselineCount: 1 }]).ratio,
    ).toBe(1);
  });

  it('bounds the ratio by resampled clusters', () => {
    const rng = seededRng(4);
    const clusters = Array.from({ length: 90 }, () => ({
      candidateAmount: 4 + rng.next(),
      candidateCount: 2 + rng.int(3),
      baselineAmount: 4 + rng.next(),
      baselineCount: 1 + rng.int(3),
    }));
    const { lower, upper, ratio } = clusterRatioInterval(clusters, OPTIONS);
    expect(lower).toBeLessThan(ratio);
    expect(upper).toBeGreaterThan(ratio);
    expect(upper).toBeLessThan(0.85);
  });
});

describe('task bootstrap', () => {
  it('brackets the mean and collapses on equal tasks', () => {
    const { estimate, lower, upper } = taskBootstrapInterval([0, 1, 0, 1, 1, 1], OPTIONS);
    expect(lower).toBeLessThan(estimate);
    expect(upper).toBeGreaterThan(estimate);
    expect(taskBootstrapInterval([0.5, 0.5], OPTIONS)).toEqual({ estimate: 0.5, lower: 0.5, upper: 0.5 });
    expect(taskBootstrapInterval([], OPTIONS).estimate).toBeNaN();
  });
});
