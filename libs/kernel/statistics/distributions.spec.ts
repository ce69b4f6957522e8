import {
  betaCdf,
  betaQuantile,
  binomialUpperTail,
  logChoose,
  normalCdf,
  normalQuantile,
  tCdf,
  tQuantile,
} from './distributions.js';
import { clopperPearsonInterval, wilsonInterval } from './proportions.js';

describe('distribution functions', () => {
  it.each([
    [0.975, 1, 12.7062047],
    [0.975, 9, 2.2621572],
    [0.995, 199, 2.6007602],
    [0.95, 30, 1.6972609],
    [0.01, 3, -4.5407029],
  ])('t quantile of %d at %d degrees of freedom agrees with the table', (p, df, expected) => {
    expect(tQuantile(p, df)).toBeCloseTo(expected, 6);
    expect(tCdf(tQuantile(p, df), df)).toBeCloseTo(p, 7);
  });

  it('agrees with closed forms of the t distribution with one and two degrees of freedom', () => {
    for (const p of [0.6, 0.9, 0.999]) {
      expect(tQuantile(p, 1)).toBeCloseTo(Math.tan(Math.PI * (p - 0.5)), 4);
      expect(tQuantile(p, 2)).toBeCloseTo((2 * p - 1) / Math.sqrt(2 * p * (1 - p)), 5);
    }
  });

  it('inverts the normal distribution into the tails', () => {
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963985, 7);
    expect(normalQuantile(1e-6)).toBeCloseTo(-4.753424309, 6);
    expect(normalCdf(-3)).toBeCloseTo(0.001349898, 8);
  });

  it('computes binomial tails as the sum of their terms', () => {
    const n = 22;
    for (const k of [0, 1, 6, 16, 22, 23]) {
      let sum = 0;
      for (let i = k; i <= n; i++)
        sum += Math.exp(logChoose(n, i) + i * Math.log(0.3) + (n - i) * Math.log(0.7));
      expect(binomialUpperTail(k, n, 0.3)).toBeCloseTo(sum, 9);
    }
  });

  it('inverts the beta distribution', () => {
    expect(betaQuantile(0.025, 1, 20)).toBeCloseTo(1 - 0.975 ** (1 / 20), 9);
    expect(betaCdf(betaQuantile(0.3, 3, 158), 3, 158)).toBeCloseTo(0.3, 8);
  });
});

describe('intervals of one proportion', () => {
  it('Wilson agrees with Newcombe 1998 (81 of 263)', () => {
    const { lower, upper } = wilsonInterval(81, 263);
    expect(lower).toBeCloseTo(0.2553, 4);
    expect(upper).toBeCloseTo(0.3662, 4);
  });

  it('Clopper-Pearson agrees with Newcombe 1998 (15 of 148) and the closed form of no event', () => {
    const { lower, upper } = clopperPearsonInterval(15, 148);
    expect(lower).toBeCloseTo(0.0578, 4);
    expect(upper).toBeCloseTo(0.1617, 4);
    expect(clopperPearsonInterval(0, 50).upper).toBeCloseTo(1 - 0.025 ** (1 / 50), 8);
  });

  it('says nothing about no observations', () => {
    expect(wilsonInterval(0, 0)).toMatchObject({ lower: 0, upper: 1 });
    expect(clopperPearsonInterval(0, 0)).toMatchObject({ lower: 0, upper: 1 });
  });
});
