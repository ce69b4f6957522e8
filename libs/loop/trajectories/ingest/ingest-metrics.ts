import type { EventLog } from '#platform/stream';
import type { Metrics } from '#platform/telemetry';

/** Seconds: up to the promised 3 s finely, then how bad it is. */
const FRESHNESS_BUCKETS = [0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 30, 60, 300, 1_800];

export interface StoredRange {
  spans: number;
  refused: number;
  /** Age of the range's oldest message when it was stored. */
  freshnessMs: number;
}

/** How fast spans come through the stream, and how many wait. */
export class IngestMetrics {
  private readonly spans;
  private readonly refused;
  private readonly freshness;

  constructor(private readonly metrics: Metrics) {
    this.spans = metrics.counter('ratchet_ingest_spans_total', 'Spans stored from the stream.');
    this.refused = metrics.counter('ratchet_ingest_dead_letters_total', 'Messages and spans set aside.');
    this.freshness = metrics.histogram(
      'ratchet_ingest_freshness_seconds',
      'From receipt by the collector to stored and queryable, oldest message of each range.',
      FRESHNESS_BUCKETS,
    );
  }

  stored({ spans, refused, freshnessMs }: StoredRange): void {
    this.spans.inc(spans);
    this.refused.inc(refused);
    this.freshness.observe(Math.max(0, freshnessMs) / 1_000);
  }

  /** Shows what waits in the topic, partition by partition, at each reading. */
  watchLag(log: EventLog, topic: string, group: string): void {
    const labelNames = ['topic', 'group', 'partition'] as const;
    const name = 'ratchet_stream_lag_messages';
    this.metrics.gauge({ name, help: 'Messages not dealt with yet.', labelNames }, async (gauge) => {
      for (const { partition, records } of await log.lag(topic, group)) {
        gauge.set({ topic, group, partition: String(partition) }, records);
      }
    });
  }
}
