import { z } from 'zod';
import type { LogRecord } from '#platform/stream';
import { groupBy } from '../domain/json.js';
import type { Span } from '../domain/span.js';

/** Topic of received spans, masked; keyed by trace, so one reader sees a trace in order. */
export const SPANS_TOPIC = 'spans.v1';

/** One trace of one request goes as one message, or as several where it is larger. */
export const MAX_MESSAGE_BYTES = 512 * 1024;

export interface ReceivedSpan {
  projectId: string;
  span: Span;
}

const JsonObject = z.record(z.string(), z.unknown());

const SpanForm = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().nullable(),
  name: z.string(),
  kind: z.number(),
  startNs: z.string(),
  endNs: z.string(),
  attributes: JsonObject,
  events: z.array(z.object({ name: z.string(), timeNs: z.string(), attributes: JsonObject })),
  resource: JsonObject,
  scope: z.string(),
  status: z.object({ code: z.number(), message: z.string() }),
  claims: z
    .record(z.string(), z.object({ key: z.string(), sha256: z.string(), sizeBytes: z.number() }))
    .exactOptional(),
});

const MessageForm = z.object({ projectId: z.string(), spans: z.array(SpanForm) });

/** The spans of one request as messages. A span larger than a message is one by itself. */
export function encodeSpans(projectId: string, spans: readonly Span[]): LogRecord[] {
  return [...groupBy(spans, (span) => span.traceId)].flatMap(([key, ofTrace]) =>
    chunks(ofTrace.map((span) => JSON.stringify(span))).map((texts) => ({
      key,
      value: Buffer.from(`{"projectId":${JSON.stringify(projectId)},"spans":[${texts.join(',')}]}`),
    })),
  );
}

/** @throws Error saying what is wrong with the bytes. */
export function decodeSpans(value: Uint8Array): ReceivedSpan[] {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
  const parsed = MessageForm.safeParse(JSON.parse(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong form'}`);
  }
  const { projectId, spans } = parsed.data;
  return spans.map((span) => ({ projectId, span: span as Span }));
}

function chunks(texts: readonly string[]): string[][] {
  const all: string[][] = [];
  let bytes = 0;
  for (const text of texts) {
    const size = Buffer.byteLength(text) + 1;
    const current = all.at(-1);
    if (current === undefined || bytes + size > MAX_MESSAGE_BYTES) {
      all.push([text]);
      bytes = size;
    } else {
      current.push(text);
      bytes += size;
    }
  }
  return all;
}
