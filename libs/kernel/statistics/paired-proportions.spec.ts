import { seededRng } from '../random.js';
import { leastPairsForMargin, mcnemarExact, tangoInterval, tangoStatistic } from './paired-proportions.js';

describe('exact McNemar', () => {
  it('agrees with the published two-sided p of 6 against 16 (0.0525)', () => {
    expect(2 * mcnemarExact(16, 6)).toBeCloseTo(0.0525, 4);
  });

  it('is one without a win and halves with every unopposed win', () => {
    expect(mcnemarExact(0, 5)).toBe(1);
    expect(mcnemarExact(10, 0)).toBeCloseTo(2 ** -10, 10);
  });

  it('never falls when a win becomes a tie or a tie a loss, by any part of a run', () => {
    for (let wins = 1; wins <= 25; wins++) {
      for (let losses = 0; losses <= 25; losses++) {
        for (const part of [1, 0.75, 0.5, 0.25, 0]) {
          const worse = mcnemarExact(wins - part, losses + 1 - part);
          expect(worse).toBeGreaterThanOrEqual(mcnemarExact(wins, losses) - 1e-12);
        }
      }
    }
  });
});

describe('Tango score interval', () => {
  it.each([
    { onlyCandidate: 1, onlyBaseline: 7, pairs: 21, lower: -0.517, upper: -0.026 },
    { onlyCandidate: 6, onlyBaseline: 16, pairs: 161, lower: -0.124, upper: -0.005 },
  ])(
    'agrees with Fagerland et al. 2014 on $onlyCandidate against $onlyBaseline of $pairs',
    ({ lower, upper, ...counts }) => {
      const interval = tangoInterval(counts, 0.025);
      expect(interval.lower).toBeCloseTo(lower, 3);
      expect(interval.upper).toBeCloseTo(upper, 3);
    },
  );

  it('agrees with a score test whose restricted estimate comes from a plain search of the likelihood', () => {
    expect(tangoInterval({ onlyCandidate: 40, onlyBaseline: 20, pairs: 160 }, 0.025)).toMatchObject({
      lower: expect.closeTo(0.0308645, 6),
      upper: expect.closeTo(0.2180642, 6),
    });
    expect(tangoInterval({ onlyCandidate: 0, onlyBaseline: 1, pairs: 44 }, 0.025)).toMatchObject({
      lower: expect.closeTo(-0.1180771, 6),
      upper: expect.closeTo(0.0593932, 6),
    });
  });

  it('needs 103 clean pairs for a margin of five points at one per cent', () => {
    expect(leastPairsForMargin(0.05, 0.01)).toBe(103);
    expect(tangoInterval({ onlyCandidate: 0, onlyBaseline: 0, pairs: 103 }, 0.01).upper).toBeLessThan(0.05);
    expect(tangoInterval({ onlyCandidate: 0, onlyBaseline: 0, pairs: 102 }, 0.01).upper).toBeGreaterThan(
      0.05,
    );
  });

  it('never moves towards better when one more pair is worse, by any part of a run', () => {
    for (const pairs of [12, 30]) {
      for (let b = 0; b < pairs; b++) {
        for (let c = 0; b + c < pairs; c++) {
          for (const part of [0, 0.25, 0.5, 0.75, 1]) {
            if (part < 1 && c < 1) continue;
            const worse = { onlyCandidate: b + part, onlyBaseline: c - (1 - part), pairs };
            for (const delta of [-0.04, 0, 0.01, 0.05, 0.2]) {
              const before = tangoStatistic({ onlyCandidate: b, onlyBaseline: c, pairs }, delta);
              expect(tangoStatistic(worse, delta)).toBeGreaterThanOrEqual(before - 1e-9);
            }
          }
        }
      }
    }
  });

  it('passes a rise of exactly the margin about as often as it promises, on rare events', () => {
    const rng = seededRng(11);
    const rounds = 4_000;
    let falsePasses = 0;
    for (let round = 0; round < rounds; round++) {
      const counts = { onlyCandidate: 0, onlyBaseline: 0, pairs: 160 };
      for (let i = 0; i < counts.pairs; i++) {
        const draw = rng.next();
        if (draw < 0.06) counts.onlyCandidate++;
        else if (draw < 0.07) counts.onlyBaseline++;
      }
      if (tangoInterval(counts, 0.05).upper < 0.05) falsePasses++;
    }
    expect(falsePasses / rounds).toBeLessThan(0.07);
    expect(falsePasses / rounds).toBeGreaterThan(0.02);
  });
});
