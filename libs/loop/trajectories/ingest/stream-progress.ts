import type { EventLog } from '#platform/stream';
import { INGEST_GROUP } from './span-ingest.js';
import { SPANS_TOPIC } from './span-message.js';

/** How far what is stored lies behind what was received: nothing received may be missed where a trace is called quiet. */
export abstract class StreamProgress {
  /** ms; Infinity where that cannot be known yet. */
  abstract behindMs(): Promise<number>;
}

/** Without a stream between, what is received is stored. */
export class NothingBetween extends StreamProgress {
  override behindMs(): Promise<number> {
    return Promise.resolve(0);
  }
}

/** Of the partition that lies furthest behind. */
export class IngestProgress extends StreamProgress {
  constructor(private readonly log: EventLog) {
    super();
  }

  override async behindMs(): Promise<number> {
    const partitions = await this.log.lag(SPANS_TOPIC, INGEST_GROUP);
    return Math.max(0, ...partitions.map(({ behindMs }) => behindMs));
  }
}
