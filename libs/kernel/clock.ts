/** The only source of time. UTC; milliseconds for control state, nanoseconds where spans are concerned. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract nowMs(): number;

  now(): Date {
    return new Date(this.nowMs());
  }

  nowNs(): bigint {
    return BigInt(Math.round(this.nowMs())) * 1_000_000n;
  }
}

/** A clock that only moves when told: for tests. */
export class ManualClock extends Clock {
  private currentMs: number;

  constructor(startMs = 1_700_000_000_000) {
    super();
    this.currentMs = startMs;
  }

  nowMs(): number {
    return this.currentMs;
  }

  advance(ms: number): void {
    this.currentMs += ms;
  }
}
