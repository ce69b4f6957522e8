import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Log } from '#platform/telemetry';
import { AssemblySweep } from './assembly-sweep.js';

const SWEEP_EVERY_MS = 1_000;

/** Looks for complete traces once a second, in the process that ingests; one look at a time. */
@Injectable()
export class AssemblyJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly sweep: AssemblySweep,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
  }

  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.running = this.look().finally(() => this.schedule());
    }, SWEEP_EVERY_MS);
  }

  /** A failed look loses nothing: its traces are still pending at the next one. */
  private async look(): Promise<void> {
    try {
      await this.sweep.run();
    } catch (error) {
      this.log.error('trajectories.sweepFailed', { error });
    }
  }
}
