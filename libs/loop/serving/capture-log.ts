import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ModelCallCapture } from '#contracts/gateway';
import { Trajectories } from '#loop/trajectories';
import { Log } from '#platform/telemetry';

const FLUSH_EVERY_MS = 50;
const FLUSH_ROWS = 200;

/**
 * Group commit of captures: many calls, one insert; each caller is answered when its row is stored. When the store is
 * away the call itself still succeeds (the gateway fails open) and the loss is counted and logged.
 */
@Injectable()
export class CaptureLog implements OnApplicationShutdown {
  private waiting: { capture: ModelCallCapture; stored: () => void }[] = [];
  private timer: NodeJS.Timeout | null = null;
  /** Captures that could not be stored since the start. */
  lost = 0;

  constructor(
    private readonly trajectories: Trajectories,
    private readonly log: Log,
  ) {}

  record(capture: ModelCallCapture): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push({ capture, stored: resolve });
      if (this.waiting.length >= FLUSH_ROWS) void this.flush();
      else this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private async flush(): Promise<void> {
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const batch = this.waiting;
    this.waiting = [];
    if (batch.length === 0) return;
    try {
      await this.trajectories.recordModelCalls(batch.map((item) => item.capture));
    } catch (error) {
      this.lost += batch.length;
      this.log.error('gateway.captureLost', { rows: batch.length, error });
    }
    for (const item of batch) item.stored();
  }
}
