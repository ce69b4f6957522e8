import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';

/** The server's own order: ns of receipt, pushed forward where the clock stands still, so no two rows share one. */
@Injectable()
export class ReceiptSequence {
  private last = 0n;

  constructor(private readonly clock: Clock) {}

  next(): bigint {
    const now = this.clock.nowNs();
    this.last = now > this.last ? now : this.last + 1n;
    return this.last;
  }
}
