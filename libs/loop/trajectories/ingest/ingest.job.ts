import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import type { Consumption, EventLog } from '#platform/stream';
import { Log, Metrics } from '#platform/telemetry';
import { SpansRepository } from '../spans.repository.js';
import { IngestMetrics } from './ingest-metrics.js';
import { INGEST_GROUP, SpanIngest } from './span-ingest.js';
import { SPANS_TOPIC } from './span-message.js';
import { StreamLink } from './stream-link.js';

/** Reads the stream's spans as long as the ingesting process runs; nothing to do without a stream between. */
@Injectable()
export class IngestJob implements OnApplicationBootstrap, OnApplicationShutdown {
  private consumption: Consumption | undefined;

  constructor(
    private readonly link: StreamLink,
    private readonly spans: SpansRepository,
    private readonly clock: Clock,
    private readonly reports: Log,
    private readonly metrics: Metrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { log } = this.link;
    if (log !== null) await this.read(log);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.consumption?.stop();
  }

  private async read(log: EventLog): Promise<void> {
    const { spans, clock, reports } = this;
    const metrics = new IngestMetrics(this.metrics);
    metrics.watchLag(log, SPANS_TOPIC, INGEST_GROUP);
    const ingest = new SpanIngest({ log, spans, clock, metrics, reports });
    const handler = ingest.store.bind(ingest);
    this.consumption = await log.consume({ topic: SPANS_TOPIC, group: INGEST_GROUP, handler });
  }
}
