import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Repeating } from '#platform/runtime';
import { Log } from '#platform/telemetry';
import { AssemblySweep } from './assembly-sweep.js';
import { FeedbackSweep } from './feedback/feedback-sweep.js';

const SWEEP_EVERY_MS = 1_000;

/** Looks for complete traces and late feedback once a second, in the process that ingests; one look at a time. */
@Injectable()
export class AssemblyJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly looking = new Repeating(() => this.look(), SWEEP_EVERY_MS);

  constructor(
    private readonly sweep: AssemblySweep,
    private readonly feedback: FeedbackSweep,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.looking.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.looking.stop();
  }

  /** A failed look loses nothing: its traces are still pending at the next one. */
  private async look(): Promise<void> {
    try {
      await this.sweep.run();
      await this.feedback.run();
    } catch (error) {
      this.log.error('trajectories.sweepFailed', { error });
    }
  }
}
