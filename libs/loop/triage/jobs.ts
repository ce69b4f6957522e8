import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { COMPLETED_TOPIC, TrajectoryCompleted } from '#contracts/trajectory';
import { Repeating } from '#platform/runtime';
import { defineTopic, EventStream } from '#platform/stream';
import { Log } from '#platform/telemetry';
import { Triager } from './triager.service.js';

const completed = defineTopic(COMPLETED_TOPIC, TrajectoryCompleted);
const GROUP = 'triage';
const SCAN_EVERY_MS = 30_000;

/** Triage at ingest speed: by event as trajectories complete, and by a scan for what an event never reached. */
@Injectable()
export class TriageJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly scanning = new Repeating(() => this.scan({ now: false }), SCAN_EVERY_MS);

  constructor(
    private readonly stream: EventStream,
    private readonly triager: Triager,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.stream.subscribe(completed, GROUP, (messages) =>
      this.triager.triage(messages.map(({ value }) => value)),
    );
    this.scanning.start(() => this.scan({ now: true }));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.scanning.stop();
  }

  /** A failed scan loses nothing: what it did not reach is still pending at the next one. */
  private async scan(options: { now: boolean }): Promise<void> {
    try {
      const found = await this.triager.triagePending(options);
      if (found > 0) this.log.info('triage.pendingTriaged', { trajectories: found });
      await this.triager.retractOrphans();
    } catch (error) {
      this.log.error('triage.scanFailed', { error });
    }
  }
}
