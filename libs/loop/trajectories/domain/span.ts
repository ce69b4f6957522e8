import type { JsonObject } from './json.js';

export interface SpanEvent {
  name: string;
  timeNs: string;
  attributes: JsonObject;
}

/** The whole text of a value that is too large for a row. */
export interface Claim {
  /** Of the artifact that holds it. */
  key: string;
  /** Lower-case hex SHA-256 of the text as UTF-8. */
  sha256: string;
  sizeBytes: number;
}

/** One span as received: OpenTelemetry's data model with plain values; ids lower-case hex, times ns since the epoch. */
export interface Span {
  traceId: string;
  spanId: string;
  /** null for a root span. */
  parentSpanId: string | null;
  name: string;
  kind: number;
  startNs: string;
  /** May lie before `startNs`: kept raw, clamped where it is used. */
  endNs: string;
  attributes: JsonObject;
  events: SpanEvent[];
  resource: JsonObject;
  scope: string;
  status: { code: number; message: string };
  /** Attributes that hold only the beginning of their text, with where all of it is. */
  claims?: Record<string, Claim>;
}

/** A span with its place in the server's receipt order (ns of receipt, unique in its process). */
export interface StoredSpan extends Span {
  receivedSeq: string;
}

export const STATUS_ERROR = 2;
