/**
 * Reads a trace export straight from its bytes: the generic decoder makes three objects of every attribute, and most
 * attributes are one string. What is rare (lists, maps, bytes) is left to the generic decoder.
 */
import protobuf from 'protobufjs';
import { ReadAttribute } from '../domain/otlp.js';
import type { Json } from '../domain/json.js';
import { AnyValue } from './otlp-protobuf.js';

type Reader = protobuf.Reader;
type Message = Record<string, unknown>;
/** What a field of a message does to what was read so far; a field without an entry is skipped. */
type Fields = Record<number, (reader: Reader, message: Message) => void>;

const STRING_VALUE = (1 << 3) | 2;
const BOOL_VALUE = (2 << 3) | 0;
const INT_VALUE = (3 << 3) | 0;
const DOUBLE_VALUE = (4 << 3) | 1;

/** The request as the JSON mapping would have it, its attributes read. @throws Error for bytes that are no such message. */
export function readExportRequest(body: Buffer): unknown {
  const reader = protobuf.Reader.create(body);
  return readMessage(reader, reader.len, REQUEST, { resourceSpans: [] });
}

function readMessage(reader: Reader, end: number, fields: Fields, message: Message): Message {
  if (end > reader.len) throw new RangeError('a message ends after its bytes');
  while (reader.pos < end) {
    const tag = reader.uint32();
    const wireType = tag & 7;
    const read = fields[tag];
    if (read === undefined) reader.skipType(wireType);
    else read(reader, message);
  }
  if (reader.pos !== end) throw new RangeError('a field ends after its message');
  return message;
}

const nested =
  (fields: Fields, start: () => Message) =>
  (reader: Reader): Message => {
    const length = reader.uint32();
    return readMessage(reader, reader.pos + length, fields, start());
  };

const listed =
  (name: string, read: (reader: Reader) => unknown) =>
  (reader: Reader, message: Message): void =>
    void (message[name] as unknown[]).push(read(reader));

const set =
  (name: string, read: (reader: Reader) => unknown) =>
  (reader: Reader, message: Message): void =>
    void (message[name] = read(reader));

const bytes = (field: number): number => (field << 3) | 2;
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;

const text = (reader: Reader): string => reader.string();

const hex = (reader: Reader): string => {
  const length = reader.uint32();
  const from = reader.pos;
  reader.skip(length);
  const { buf } = reader;
  return Buffer.from(buf.buffer, buf.byteOffset + from, length).toString('hex');
};

/** As decimal text, exact. */
const uint64 = (reader: Reader): string => {
  const low = reader.fixed32();
  const high = reader.fixed32();
  return ((BigInt(high) << 32n) | BigInt(low)).toString();
};

function attribute(reader: Reader): ReadAttribute | Message {
  const end = reader.uint32() + reader.pos;
  if (end > reader.len) throw new RangeError('an attribute ends after its bytes');
  let key = '';
  let plain: Json | undefined;
  let other: unknown;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytes(1)) key = reader.string();
    else if (tag === bytes(2)) {
      const from = reader.pos;
      plain = plainValue(reader);
      if (plain !== undefined) continue;
      reader.pos = from;
      other = AnyValue.decode(reader, reader.uint32());
    } else reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new RangeError('a field ends after its attribute');
  return plain === undefined ? { key, value: other } : new ReadAttribute(key, plain);
}

/** A value of one scalar field; undefined for all else, with the reader anywhere. */
function plainValue(reader: Reader): Json | undefined {
  const end = reader.uint32() + reader.pos;
  if (end === reader.pos) return undefined;
  const tag = reader.uint32();
  const plain =
    tag === STRING_VALUE
      ? reader.string()
      : tag === INT_VALUE
        ? integer(reader)
        : tag === BOOL_VALUE
          ? reader.bool()
          : tag === DOUBLE_VALUE
            ? finite(reader.double())
            : undefined;
  return reader.pos === end ? plain : undefined;
}

/** Whole numbers beyond 2^53 stay text: a rounded one would be another value. */
function integer(reader: Reader): Json {
  const value: unknown = reader.int64();
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}

const finite = (value: number): Json => (Number.isFinite(value) ? value : String(value));

const ATTRIBUTES = listed('attributes', attribute);

const EVENT: Fields = {
  [fixed64(1)]: set('timeUnixNano', uint64),
  [bytes(2)]: set('name', text),
  [bytes(3)]: ATTRIBUTES,
};

const STATUS: Fields = {
  [bytes(2)]: set('message', text),
  [varint(3)]: set('code', (reader) => reader.int32()),
};

const SPAN: Fields = {
  [bytes(1)]: set('traceId', hex),
  [bytes(2)]: set('spanId', hex),
  [bytes(4)]: set('parentSpanId', hex),
  [bytes(5)]: set('name', text),
  [varint(6)]: set('kind', (reader) => reader.int32()),
  [fixed64(7)]: set('startTimeUnixNano', uint64),
  [fixed64(8)]: set('endTimeUnixNano', uint64),
  [bytes(9)]: ATTRIBUTES,
  [bytes(11)]: listed(
    'events',
    nested(EVENT, () => ({ attributes: [] })),
  ),
  [bytes(15)]: set(
    'status',
    nested(STATUS, () => ({})),
  ),
};

const SCOPE: Fields = { [bytes(1)]: set('name', text) };
const RESOURCE: Fields = { [bytes(1)]: ATTRIBUTES };

const SCOPE_SPANS: Fields = {
  [bytes(1)]: set(
    'scope',
    nested(SCOPE, () => ({})),
  ),
  [bytes(2)]: listed('spans', nested(SPAN, emptySpan)),
};

const RESOURCE_SPANS: Fields = {
  [bytes(1)]: set(
    'resource',
    nested(RESOURCE, () => ({ attributes: [] })),
  ),
  [bytes(2)]: listed(
    'scopeSpans',
    nested(SCOPE_SPANS, () => ({ spans: [] })),
  ),
};

const REQUEST: Fields = {
  [bytes(1)]: listed(
    'resourceSpans',
    nested(RESOURCE_SPANS, () => ({ scopeSpans: [] })),
  ),
};

/** All members in one order, so that every span has one shape. */
function emptySpan(): Message {
  return {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    name: '',
    kind: 0,
    startTimeUnixNano: '',
    endTimeUnixNano: '',
    attributes: [],
    events: [],
    status: undefined,
  };
}
