import type { ClickHouse } from '#platform/clickhouse';
import type { JsonObject } from '../domain/json.js';
import type { Claim, Span, SpanEvent, StoredSpan } from '../domain/span.js';
import { messagesOfTraces, spansOfTraces, type SpanRow } from '../spans.queries.js';
import { joinList } from './history-splitter.js';
import { monthOfNs } from './month.js';
import { SpanPacker } from './span-packer.js';
import {
  MESSAGE_COLUMNS,
  messageLine,
  SHARED_TEXT_COLUMNS,
  sharedTextLine,
  SPAN_COLUMNS,
  SpanRowWriter,
} from './span-rows.js';

export interface SpanOfProject {
  projectId: string;
  span: Span;
}

/** Spans in their rows: packed when they are written, whole when they are read. */
export class SpanStore {
  constructor(private readonly clickhouse: ClickHouse) {}

  /** Texts first, then the spans that name them: killed between, nothing points nowhere. */
  async insert(
    rows: readonly SpanOfProject[],
    sequence: (index: number) => bigint,
    dedupToken?: string,
  ): Promise<void> {
    const packer = new SpanPacker();
    const writer = new SpanRowWriter();
    const lines = rows.map(({ projectId, span }, index) => {
      const receivedSeq = sequence(index);
      const packed = packer.pack(projectId, span, monthOfNs(receivedSeq));
      return writer.lineOf(projectId, span, { receivedSeq, packed });
    });
    const texts = packer.messageTexts();
    const ofSessions = texts.filter(({ sessionId }) => sessionId !== null).map(messageLine);
    const shared = texts.filter(({ sessionId }) => sessionId === null).map(sharedTextLine);
    await Promise.all([
      this.clickhouse.insertLines({ table: 'span_messages', columns: MESSAGE_COLUMNS }, ofSessions),
      this.clickhouse.insertLines({ table: 'shared_texts', columns: SHARED_TEXT_COLUMNS }, shared),
    ]);
    await this.clickhouse.insertLines(
      { table: 'spans', columns: SPAN_COLUMNS },
      lines,
      dedupToken === undefined ? {} : { dedupToken },
    );
  }

  /** Each span once, with its messages; large values are still claims. */
  async ofTraces(projectId: string, traceIds: readonly string[]): Promise<StoredSpan[]> {
    const asked = { projectId, traceIds: [...traceIds] };
    const rows = await this.clickhouse.query(spansOfTraces, asked);
    const hasLists = rows.some((row) => row.listAttributes.length > 0);
    const texts = hasLists ? await this.clickhouse.query(messagesOfTraces, asked) : [];
    const byHash = new Map(texts.map(({ hash, content }) => [hash, content]));
    return rows.map((row) => spanOf(row, byHash));
  }
}

function spanOf(row: SpanRow, texts: ReadonlyMap<string, string>): StoredSpan {
  const {
    statusCode,
    statusMessage,
    listAttributes,
    listSeparators,
    listHashes,
    claims,
    attributes,
    events,
    ...same
  } = row;
  const whole = attributes as JsonObject;
  listAttributes.forEach((attribute, at) => {
    const parts = (listHashes[at] ?? []).flatMap((hash) => texts.get(hash) ?? []);
    const separator = listSeparators[at] ?? '';
    whole[attribute] = separator === '' ? (parts[0] ?? null) : joinList({ parts, separator });
  });
  return {
    ...same,
    parentSpanId: row.parentSpanId === '' ? null : row.parentSpanId,
    receivedSeq: row.receivedSeq.toString(),
    startNs: row.startNs.toString(),
    endNs: row.endNs.toString(),
    status: { code: statusCode, message: statusMessage },
    attributes: whole,
    events: events as SpanEvent[],
    resource: row.resource as JsonObject,
    ...(claims === '' ? {} : { claims: JSON.parse(claims) as Record<string, Claim> }),
  };
}
