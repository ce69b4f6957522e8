/**
 * OTLP export request → spans (opentelemetry-proto, trace/v1). Takes the JSON mapping and the decoded protobuf alike:
 * ids as hex text or bytes, int64 as text, number or Long, attributes as a list of key and one-of value.
 * One bad span never costs another: it is counted with its reason.
 */
import { AppError } from '#kernel/errors';
import { isObject, labelOf, type Json, type JsonObject } from './json.js';
import type { Span, SpanEvent } from './span.js';

export interface DecodedSpans {
  spans: Span[];
  rejected: { reason: string }[];
}

const MAX_VALUE_DEPTH = 64;
const MAX_UINT64 = 18_446_744_073_709_551_615n;

class BadSpan extends Error {}

/** @throws AppError request.invalid when the value is no trace export request at all. */
export function decodeExportRequest(request: unknown): DecodedSpans {
  const groups = groupsOf(request);
  if (!Array.isArray(groups)) throw new AppError('request.invalid', { public: whatItIsInstead(request) });
  const decoded: DecodedSpans = { spans: [], rejected: [] };
  for (const group of groups.filter(isObject)) {
    const resource = attributesOrEmpty(
      isObject(group['resource']) ? group['resource']['attributes'] : undefined,
    );
    for (const scopeGroup of listOf(group['scopeSpans']).filter(isObject)) {
      const scope = isObject(scopeGroup['scope']) ? labelOf(scopeGroup['scope']['name']) : '';
      for (const raw of listOf(scopeGroup['spans'])) addSpan(decoded, raw, { resource, scope });
    }
  }
  return decoded;
}

/** In protobuf's JSON an empty list may be left out or null: `{}` is an export of nothing. */
function groupsOf(request: unknown): unknown {
  if (!isObject(request)) return undefined;
  const isEmpty = Object.entries(request).every(
    ([name, value]) => name === 'resourceSpans' && value === null,
  );
  return isEmpty ? [] : request['resourceSpans'];
}

export const LOGS_HINT =
  'This is a logs export; this path takes traces. There is no /v1/logs here: switch the logs exporter off, or have the instrumentation write messages as span attributes or span events.';

function whatItIsInstead(request: unknown): string {
  if (isObject(request) && 'resourceLogs' in request) return LOGS_HINT;
  if (isObject(request) && 'resourceMetrics' in request)
    return 'This is a metrics export; this path takes traces.';
  return 'The body is not an OTLP trace export: it has no resourceSpans list.';
}

function addSpan(
  decoded: DecodedSpans,
  raw: unknown,
  context: { resource: JsonObject; scope: string },
): void {
  try {
    decoded.spans.push(spanOf(raw, context));
  } catch (error) {
    if (!(error instanceof BadSpan)) throw error;
    decoded.rejected.push({ reason: error.message });
  }
}

function spanOf(raw: unknown, context: { resource: JsonObject; scope: string }): Span {
  if (!isObject(raw)) throw new BadSpan('a span is not an object');
  const traceId = hexId(raw['traceId'], 16, 'traceId');
  const spanId = hexId(raw['spanId'], 8, 'spanId');
  const startNs = nanoseconds(raw['startTimeUnixNano'], 'startTimeUnixNano');
  if (startNs === '0') throw new BadSpan(`span ${spanId}: startTimeUnixNano is missing`);
  const endNs = nanoseconds(raw['endTimeUnixNano'], 'endTimeUnixNano');
  const status = isObject(raw['status']) ? raw['status'] : {};
  return {
    traceId,
    spanId,
    parentSpanId: isEmptyId(raw['parentSpanId']) ? null : hexId(raw['parentSpanId'], 8, 'parentSpanId'),
    name: labelOf(raw['name']),
    kind: enumOf(raw['kind'], KINDS),
    startNs,
    endNs: endNs === '0' ? startNs : endNs,
    attributes: attributesOf(raw['attributes']),
    events: listOf(raw['events']).filter(isObject).map(eventOf),
    resource: context.resource,
    scope: context.scope,
    status: { code: enumOf(status['code'], STATUS_CODES), message: labelOf(status['message']) },
  };
}

function eventOf(raw: Record<string, unknown>): SpanEvent {
  return {
    name: labelOf(raw['name']),
    timeNs: nanoseconds(raw['timeUnixNano'], 'event timeUnixNano'),
    attributes: attributesOf(raw['attributes']),
  };
}

/** Exporters write enums as numbers or, by the protobuf JSON mapping, as names. */
const KINDS = [
  'SPAN_KIND_UNSPECIFIED',
  'SPAN_KIND_INTERNAL',
  'SPAN_KIND_SERVER',
  'SPAN_KIND_CLIENT',
  'SPAN_KIND_PRODUCER',
  'SPAN_KIND_CONSUMER',
];
const STATUS_CODES = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR'];

function enumOf(value: unknown, names: readonly string[]): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < names.length)
    return value;
  return Math.max(0, typeof value === 'string' ? names.indexOf(value) : 0);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmptyId(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  // An absent bytes field decodes to an empty list, not to bytes.
  if (value instanceof Uint8Array || Array.isArray(value))
    return Array.from(value).every((byte) => byte === 0);
  return typeof value === 'string' && /^0+$/.test(value);
}

function hexId(value: unknown, bytes: number, field: string): string {
  const hex =
    value instanceof Uint8Array ? hexOf(value) : typeof value === 'string' ? value.toLowerCase() : '';
  if (hex.length !== bytes * 2 || !/^[0-9a-f]+$/.test(hex) || /^0+$/.test(hex)) {
    const hint = isEmptyId(value)
      ? 'is missing (a log record sent to the traces path looks like this)'
      : `is not ${bytes * 2} hex digits`;
    throw new BadSpan(`${field} ${hint}`);
  }
  return hex;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** As the JSON mapping writes bytes. */
function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

/** Below 2^64 whatever the digits, and written as it is kept: nearly every time. */
const CANONICAL_NS = /^[1-9]\d{0,18}$/;

/** Long prints itself as a decimal; a number above 2^53 has lost digits before it came here. */
function nanoseconds(value: unknown, field: string): string {
  if (value === undefined || value === null || value === '') return '0';
  const text =
    typeof value === 'number'
      ? BigInt(Number.isInteger(value) && value >= 0 ? value : -1).toString()
      : decimalOf(value);
  if (CANONICAL_NS.test(text)) return text;
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > MAX_UINT64)
    throw new BadSpan(`${field} is not a count of nanoseconds`);
  return BigInt(text).toString();
}

function attributesOrEmpty(list: unknown): JsonObject {
  try {
    return attributesOf(list);
  } catch (error) {
    if (error instanceof BadSpan) return {};
    throw error;
  }
}

/** An attribute whose value the reader of the bytes has made plain already. */
export class ReadAttribute {
  constructor(
    readonly key: string,
    readonly plain: Json,
  ) {}
}

function attributesOf(list: unknown, depth = 0): JsonObject {
  const attributes: JsonObject = {};
  for (const pair of listOf(list)) {
    if (pair instanceof ReadAttribute) setOwn(attributes, pair.key, pair.plain);
    else if (isObject(pair)) setOwn(attributes, labelOf(pair['key']), plainValue(pair['value'], depth));
  }
  return attributes;
}

/** A key such as `__proto__` is data and nothing more. */
function setOwn(target: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The one member that was sent: a decoded message also answers for the others, with defaults of its class. */
function plainValue(value: unknown, depth: number): Json {
  if (depth > MAX_VALUE_DEPTH) throw new BadSpan(`an attribute is nested deeper than ${MAX_VALUE_DEPTH}`);
  if (!isObject(value)) return null;
  const [kind, sent] = Object.entries(value).find(
    ([, member]) => member !== null && member !== undefined,
  ) ?? [''];
  switch (kind) {
    case 'stringValue':
    case 'boolValue':
      return typeof sent === 'string' || typeof sent === 'boolean' ? sent : null;
    case 'intValue':
      return integerOf(sent);
    case 'doubleValue':
      return doubleOf(sent);
    case 'arrayValue':
      return isObject(sent) ? listOf(sent['values']).map((item) => plainValue(item, depth + 1)) : null;
    case 'kvlistValue':
      return isObject(sent) ? attributesOf(sent['values'], depth + 1) : null;
    case 'bytesValue':
      return sent instanceof Uint8Array ? base64Of(sent) : typeof sent === 'string' ? sent : null;
    default:
      return null;
  }
}

/** Text, number or Long, which is no plain object. */
function decimalOf(value: unknown): string {
  const isPlain =
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return isPlain || Array.isArray(value) ? '' : String(value);
}

/** Whole numbers beyond 2^53 stay text: a rounded one would be another value. */
function integerOf(value: unknown): Json {
  const text = decimalOf(value);
  const number = Number(text);
  return text !== '' && Number.isSafeInteger(number) ? number : text;
}

function doubleOf(value: unknown): Json {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : labelOf(value);
}
