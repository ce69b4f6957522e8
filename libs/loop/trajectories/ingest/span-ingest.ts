import { messageOf } from '#kernel/errors';
import type { Clock } from '#kernel/clock';
import { isRowRefusal } from '#platform/clickhouse';
import {
  deadLetter,
  DEAD_LETTER_TOPIC,
  type EventLog,
  type LogRange,
  type LogRecord,
  type StoredRecord,
} from '#platform/stream';
import type { Log } from '#platform/telemetry';
import type { SpansRepository } from '../spans.repository.js';
import type { IngestMetrics } from './ingest-metrics.js';
import { decodeSpans, encodeSpans, type ReceivedSpan } from './span-message.js';

export const INGEST_GROUP = 'ingest';

/**
 * How long a range is stored with its token and first sequence. Later it is stored as new: identity keeps its spans single,
 * and a sequence from long ago would be passed by where complete traces are looked for.
 */
const REPEATABLE_MS = 60_000;

export interface SpanIngestParts {
  log: EventLog;
  spans: SpansRepository;
  clock: Clock;
  metrics: IngestMetrics;
  reports: Log;
}

interface Row extends ReceivedSpan {
  record: StoredRecord;
}

interface Part {
  rows: readonly Row[];
  /** Names the part of the range; the whole is ''. */
  path: string;
  /** Of its first row, within the range. */
  index: number;
}

/** The stream's spans → the store. A range is done when every span of it is stored or among the dead letters. */
export class SpanIngest {
  constructor(private readonly parts: SpanIngestParts) {}

  /** Rejects when the store does not answer: the range comes again. */
  async store(range: LogRange): Promise<void> {
    const { metrics, clock, log } = this.parts;
    const letters: LogRecord[] = [];
    const rows = range.records.flatMap((record) => readable(range, record, letters));
    await this.storePart(range, { rows, path: '', index: 0 }, letters);
    if (letters.length > 0) {
      this.parts.reports.warn('ingest.refused', { token: range.token, count: letters.length });
      await log.append(DEAD_LETTER_TOPIC, letters);
    }
    const oldestMs = range.records[0]?.timestampMs ?? clock.nowMs();
    metrics.stored({ spans: rows.length, refused: letters.length, freshnessMs: clock.nowMs() - oldestMs });
  }

  /** What the store refuses for its rows is halved until the row is alone. Halves have names of their own, the same ones each time. */
  private async storePart(range: LogRange, part: Part, letters: LogRecord[]): Promise<void> {
    const { rows, path, index } = part;
    if (rows.length === 0) return;
    try {
      await this.parts.spans.addRange(rows, this.repeatable(range, part));
    } catch (error) {
      if (!isRowRefusal(error)) throw error;
      const [row] = rows;
      if (rows.length === 1 && row !== undefined) {
        letters.push(refused(range, row, messageOf(error.cause ?? error)));
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await this.storePart(range, { rows: rows.slice(0, half), path: `${path}.0`, index }, letters);
      await this.storePart(
        range,
        { rows: rows.slice(half), path: `${path}.1`, index: index + half },
        letters,
      );
    }
  }

  private repeatable(
    { token, plannedMs }: LogRange,
    { path, index }: Part,
  ): { token: string; firstSeq: bigint } | undefined {
    if (this.parts.clock.nowMs() - plannedMs > REPEATABLE_MS) return undefined;
    return { token: token + path, firstSeq: BigInt(plannedMs) * 1_000_000n + BigInt(index) };
  }
}

function readable(range: LogRange, record: StoredRecord, letters: LogRecord[]): Row[] {
  try {
    return decodeSpans(record.value).map((received) => ({ ...received, record }));
  } catch (error) {
    letters.push(deadLetter({ range, record, reason: `not a message of spans: ${messageOf(error)}` }));
    return [];
  }
}

function refused(range: LogRange, { projectId, span, record }: Row, reason: string): LogRecord {
  const [alone] = encodeSpans(projectId, [span]);
  return deadLetter({ range, record, reason, ...(alone === undefined ? {} : { value: alone.value }) });
}
