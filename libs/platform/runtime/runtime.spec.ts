import { ManualClock } from '#kernel/clock';

import { IdSource, SystemClock } from './index.js';

describe('SystemClock', () => {
  it('never goes back in nanoseconds and stays with the millisecond clock', () => {
    const clock = new SystemClock();
    let last = clock.nowNs();
    for (let i = 0; i < 1_000; i++) {
      const next = clock.nowNs();
      expect(next >= last).toBe(true);
      last = next;
    }
    expect(Math.abs(Number(last / 1_000_000n) - clock.nowMs())).toBeLessThan(1_000);
  });
});

describe('IdSource', () => {
  it('makes ids that sort by time and never repeat', () => {
    const clock = new ManualClock();
    const ids = new IdSource(clock);
    const made = Array.from({ length: 50 }, () => {
      clock.advance(1);
      return ids.newId();
    });
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(50);
    expect(ids.newSecret()).toMatch(/^[0-9a-f]{48}$/);
  });
});
