import fc from 'fast-check';
import { seededRng } from '../random.js';
import { clusterInterval, type ClusterSum } from './clusters.js';
import { tQuantile } from './distributions.js';

const clusterList = fc.array(
  fc
    .record({ size: fc.integer({ min: 1, max: 6 }), share: fc.integer({ min: -6, max: 6 }) })
    .map(({ size, share }): ClusterSum => ({ size, sum: Math.max(-size, Math.min(size, share)) })),
  { minLength: 2, maxLength: 40 },
);

describe('cluster t interval', () => {
  it('is the one-sample t interval where every cluster holds one observation', () => {
    const values = [1, 3, 2, 5, 4, 4, 2, 3];
    const { lower, upper, estimate, standardError } = clusterInterval(
      values.map((sum) => ({ sum, size: 1 })),
      0.2,
    );
    expect(estimate).toBe(3);
    expect(standardError).toBeCloseTo(Math.sqrt(12 / 7 / 8), 12);
    expect(upper - estimate).toBeCloseTo(tQuantile(0.8, 7) * Math.sqrt(12 / 7 / 8), 10);
    expect(lower).toBeCloseTo(6 - upper, 10);
  });

  it('does not shrink when observations are copied within their cluster', () => {
    const once = [1, 0, 1, 1, 0, -1].map((sum) => ({ sum, size: 1 }));
    const copied = once.map(({ sum }) => ({ sum: 5 * sum, size: 5 }));
    expect(clusterInterval(copied, 0.05).upper).toBeCloseTo(clusterInterval(once, 0.05).upper, 10);
  });

  it('does not punish one far improvement, which the plain bound does', () => {
    const level = Array.from({ length: 100 }, () => ({ sum: 0, size: 1 }));
    const improved = [...level.slice(1), { sum: -1, size: 1 }];
    const { upper, estimate, standardError } = clusterInterval(improved, 0.01);
    expect(estimate + tQuantile(0.99, 99) * standardError).toBeGreaterThan(0);
    expect(upper).toBeCloseTo(clusterInterval(level, 0.01).upper, 9);
  });

  it('never moves a bound down when an observation rises', () => {
    fc.assert(
      fc.property(clusterList, fc.nat(), fc.integer({ min: 1, max: 3 }), (clusters, which, by) => {
        const at = which % clusters.length;
        const raised = clusters.map((c, i) => (i === at ? { size: c.size, sum: c.sum + by } : c));
        for (const alpha of [0.005, 0.025, 0.2]) {
          const before = clusterInterval(clusters, alpha);
          const after = clusterInterval(raised, alpha);
          expect(after.upper).toBeGreaterThanOrEqual(before.upper - 1e-7);
          expect(after.lower).toBeGreaterThanOrEqual(before.lower - 1e-7);
        }
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it.each([120, 40])(
    'misses the true mean of correlated rare events about as often as it promises, %d clusters',
    (groups) => {
      const rng = seededRng(3);
      const rounds = 1_500;
      let missed = 0;
      for (let round = 0; round < rounds; round++) {
        const clusters = Array.from({ length: groups }, (): ClusterSum => {
          const rate = rng.next() < 0.2 ? 0.3 : 0.05;
          let sum = 0;
          for (let i = 0; i < 4; i++) sum += (rng.next() < rate ? 1 : 0) - (rng.next() < 0.1 ? 1 : 0);
          return { sum, size: 4 };
        });
        if (clusterInterval(clusters, 0.025).lower > 0) missed++;
      }
      expect(missed / rounds).toBeLessThan(0.04);
      expect(missed / rounds).toBeGreaterThan(0.01);
    },
  );

  it('promises nothing from fewer than two clusters', () => {
    expect(clusterInterval([{ sum: 1, size: 4 }], 0.05)).toMatchObject({ lower: -Infinity, upper: Infinity });
    expect(clusterInterval([], 0.05)).toMatchObject({ estimate: 0, groups: 0 });
  });
});
