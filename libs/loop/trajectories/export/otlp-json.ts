/** The JSON mapping of OTLP (opentelemetry-proto, docs/specification.md): ids in hex, 64-bit integers as text. */
type AnyValue = Record<string, unknown>;

export interface KeyValue {
  key: string;
  value: AnyValue;
}

export interface SpanEventJson {
  name: string;
  timeUnixNano: string;
  attributes: KeyValue[];
}

export interface SpanJson {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  events?: SpanEventJson[];
  status?: { code: number; message: string };
}

/** null and undefined say nothing, so they are no attributes. */
export function attributesOf(values: Record<string, unknown>): KeyValue[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: anyValueOf(value) }],
  );
}

/** Lists of plain values as such; anything nested as JSON text, so that no depth is too deep for a reader. */
function anyValueOf(value: unknown): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return { arrayValue: { values: value.map(anyValueOf) } };
  return { stringValue: JSON.stringify(value) };
}
