/** OTLP export requests as protobuf bytes, written field by field: a generator has no use for a tree of messages. */
import protobuf from 'protobufjs';

export type Value = string | number;

export interface SpanSpec {
  traceId: Uint8Array;
  spanId: Uint8Array;
  /** Absent for a root. */
  parentSpanId?: Uint8Array;
  name: string;
  kind: number;
  startNs: bigint;
  endNs: bigint;
  statusCode?: number;
  attributes: Record<string, Value>;
}

/** Field numbers as tags: of length-delimited fields, varints and fixed64. */
const bytesTag = (field: number): number => (field << 3) | 2;
const varintTag = (field: number): number => field << 3;
const fixed64Tag = (field: number): number => (field << 3) | 1;

/** One ExportTraceServiceRequest with these spans of one resource and scope. */
export function exportRequest(spans: readonly SpanSpec[], resource: Record<string, Value>): Buffer {
  const writer = protobuf.Writer.create();
  writer.uint32(bytesTag(1)).fork();
  writer.uint32(bytesTag(1)).fork();
  writeAttributes(writer, 1, resource);
  writer.ldelim();
  writer.uint32(bytesTag(2)).fork();
  for (const span of spans) writeSpan(writer, span);
  writer.ldelim();
  writer.ldelim();
  return Buffer.from(writer.finish());
}

function writeSpan(writer: protobuf.Writer, span: SpanSpec): void {
  writer.uint32(bytesTag(2)).fork();
  writer.uint32(bytesTag(1)).bytes(span.traceId);
  writer.uint32(bytesTag(2)).bytes(span.spanId);
  if (span.parentSpanId !== undefined) writer.uint32(bytesTag(4)).bytes(span.parentSpanId);
  writer.uint32(bytesTag(5)).string(span.name);
  writer.uint32(varintTag(6)).int32(span.kind);
  writeFixed64(writer, 7, span.startNs);
  writeFixed64(writer, 8, span.endNs);
  writeAttributes(writer, 9, span.attributes);
  if (span.statusCode !== undefined)
    writer.uint32(bytesTag(15)).fork().uint32(varintTag(3)).int32(span.statusCode).ldelim();
  writer.ldelim();
}

function writeFixed64(writer: protobuf.Writer, field: number, value: bigint): void {
  writer.uint32(fixed64Tag(field));
  writer.fixed32(Number(value & 0xffffffffn)).fixed32(Number(value >> 32n));
}

function writeAttributes(writer: protobuf.Writer, field: number, attributes: Record<string, Value>): void {
  for (const [key, value] of Object.entries(attributes)) {
    writer.uint32(bytesTag(field)).fork().uint32(bytesTag(1)).string(key);
    writer.uint32(bytesTag(2)).fork();
    if (typeof value === 'string') writer.uint32(bytesTag(1)).string(value);
    else writer.uint32(varintTag(3)).int64(value);
    writer.ldelim().ldelim();
  }
}
