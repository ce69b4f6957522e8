import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { messageOf } from '#kernel/errors';
import { Repeating } from '#platform/runtime';
import { Log } from '#platform/telemetry';
import { AbandonedTurns } from './abandoned-turns.js';

const LOOK_EVERY_MS = 5_000;

/** Looks for abandoned turns again and again, in the process that works turns off. */
@Injectable()
export class AbandonedSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly looking = new Repeating(() => this.look(), LOOK_EVERY_MS);

  constructor(
    private readonly abandoned: AbandonedTurns,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.looking.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.looking.stop();
  }

  private async look(): Promise<void> {
    try {
      const ended = await this.abandoned.end();
      if (ended > 0) this.log.warn('cycle.abandoned', { turns: ended });
    } catch (error) {
      this.log.error('cycle.abandonedSweepFailed', { message: messageOf(error) });
    }
  }
}
