import { Clock } from '#kernel/clock';

const NS_PER_MS = 1_000_000n;

/** The machine's clock, UTC. `nowNs` adds the high-resolution part, so that spans of one millisecond keep their order. */
export class SystemClock extends Clock {
  private readonly originNs = BigInt(Date.now()) * NS_PER_MS - process.hrtime.bigint();
  private lastNs = 0n;

  nowMs(): number {
    return Date.now();
  }

  /** Nanoseconds since the epoch; never smaller than the call before, within a millisecond of `nowMs`. */
  override nowNs(): bigint {
    const wallNs = BigInt(Date.now()) * NS_PER_MS;
    const fineNs = this.originNs + process.hrtime.bigint();
    const driftNs = fineNs - wallNs;
    const ns = driftNs >= 0n && driftNs < NS_PER_MS ? fineNs : wallNs;
    this.lastNs = ns > this.lastNs ? ns : this.lastNs;
    return this.lastNs;
  }
}
