import { holm } from './multiple-tests.js';
import { groupSignal, passAtK } from './repeats.js';

/** All subsets of size k of n repeats of which the first c pass: the definition, by counting. */
function shareOfSubsets(n: number, c: number, k: number, holds: (passes: number) => boolean): number {
  let all = 0;
  let good = 0;
  for (let mask = 0; mask < 2 ** n; mask++) {
    const members = Array.from({ length: n }, (_, i) => i).filter((i) => (mask >> i) & 1);
    if (members.length !== k) continue;
    all++;
    if (holds(members.filter((i) => i < c).length)) good++;
  }
  return good / all;
}

describe('figures from repeats', () => {
  it('pass@k and group signal equal the count over all groups', () => {
    for (const n of [4, 9]) {
      for (let c = 0; c <= n; c++) {
        for (const k of [1, 2, 4]) {
          expect(passAtK(n, c, k)).toBeCloseTo(
            shareOfSubsets(n, c, k, (passes) => passes > 0),
            9,
          );
          expect(groupSignal(n, c, k)).toBeCloseTo(
            shareOfSubsets(n, c, k, (passes) => passes > 0 && passes < k),
            9,
          );
        }
      }
    }
  });

  it('has no value for a group larger than the repeats', () => {
    expect(passAtK(4, 2, 8)).toBeNaN();
    expect(groupSignal(4, 2, 8)).toBeNaN();
  });
});

describe('Holm', () => {
  it('steps down and stops at the first that is not rejected', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005], 0.05)).toEqual([true, false, false, true]);
    expect(holm([0.02, 0.02], 0.05)).toEqual([true, true]);
    expect(holm([0.03, 0.001], 0.05)).toEqual([true, true]);
    expect(holm([], 0.05)).toEqual([]);
    expect(holm([Number.NaN], 0.05)).toEqual([false]);
  });
});
