/**
 * Langfuse exports of one trace, `{trace, observations}`: observations → spans, which are assembled like any others. Inputs,
 * outputs and metadata are JSON in strings, at times in strings again; spans that Langfuse took over OpenTelemetry have
 * their attributes in the metadata. Scores and corrections tell the answer.
 */
import { contentHash } from '#kernel/ids';
import { definedOnly, isObject, stringOf, textOf, unwrapJson, type JsonObject } from '../domain/json.js';
import type { Span } from '../domain/span.js';
import type { Fields } from './exchange.js';
import { BadRow, type Format } from './format.js';

export const langfuse: Format = {
  name: 'langfuse',
  detects: (row) => isObject(row) && isObject(row['trace']) && Array.isArray(row['observations']),
  read: (row) => {
    const trace = isObject(row) ? row['trace'] : undefined;
    const listed = isObject(row) ? row['observations'] : undefined;
    if (!isObject(trace) || !Array.isArray(listed))
      throw new BadRow('the row has no `trace` with `observations`');
    const observations = listed.filter(isObject).filter(({ id }) => stringOf(id) !== undefined);
    const spans = spansOf(trace, observations);
    if (spans.length === 0) throw new BadRow('the trace has neither observations nor an input');
    const lost = listed.length - observations.length;
    const leftOut = lost === 0 ? null : `${lost} of ${listed.length} observations have no id`;
    return { kind: 'spans', spans, leftOut };
  },
};

/** One entry a trace: its only root observation, or a span of the trace itself above them. */
function spansOf(trace: Fields, observations: readonly Fields[]): Span[] {
  const traceId = hexOf(trace['id'] ?? observations[0]?.['traceId'], 32);
  const known = new Set(observations.map(({ id }) => id));
  const roots = observations.filter((one) => !known.has(one['parentObservationId']));
  const [only] = roots;
  if (roots.length === 1 && only !== undefined) {
    return observations.map((one) => {
      const span = spanOf(one, { traceId, parentSpanId: parentOf(one, known, null) });
      return one === only ? asEntry(span, trace) : span;
    });
  }
  if (observations.length === 0 && isEmpty(trace['input']) && isEmpty(trace['output'])) return [];
  const entry = entrySpan(trace, { traceId, observations });
  return [
    entry,
    ...observations.map((one) => spanOf(one, { traceId, parentSpanId: parentOf(one, known, entry.spanId) })),
  ];
}

/** A root that is nothing in particular is the agent: what works below it, works in its run. */
function asEntry(span: Span, trace: Fields): Span {
  const type =
    span.attributes[TYPE] === 'span' || span.attributes[TYPE] === 'chain' ? { [TYPE]: 'agent' } : {};
  return { ...span, attributes: { ...traceAttributes(trace), ...span.attributes, ...type } };
}

function parentOf(one: Fields, known: ReadonlySet<unknown>, entry: string | null): string | null {
  const parent = one['parentObservationId'];
  return known.has(parent) ? hexOf(parent, 16) : entry;
}

function entrySpan(trace: Fields, around: { traceId: string; observations: readonly Fields[] }): Span {
  const times = [
    trace['timestamp'],
    ...around.observations.flatMap((one) => [one['startTime'], one['endTime']]),
  ]
    .map(nsOf)
    .filter((ns) => ns !== undefined)
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    ...blankSpan(around.traceId, contentHash(['trace', trace['id']], 16)),
    name: stringOf(trace['name']) ?? 'trace',
    startNs: (times[0] ?? 1n).toString(),
    endNs: (times.at(-1) ?? 1n).toString(),
    attributes: {
      ...traceAttributes(trace),
      ...definedOnly({
        [TYPE]: 'agent',
        'langfuse.observation.input': payloadOf(trace['input']),
        'langfuse.observation.output': payloadOf(trace['output']),
      }),
    },
  };
}

function spanOf(one: Fields, place: { traceId: string; parentSpanId: string | null }): Span {
  const startNs = nsOf(one['startTime']) ?? 1n;
  const metadata = unwrapped(one['metadata']);
  const { attributes, resourceAttributes, scope, ...rest } = isObject(metadata) ? metadata : {};
  return {
    ...blankSpan(place.traceId, hexOf(one['id'], 16)),
    parentSpanId: place.parentSpanId,
    name: stringOf(one['name']) ?? stringOf(one['type']) ?? 'observation',
    startNs: startNs.toString(),
    endNs: (nsOf(one['endTime']) ?? startNs).toString(),
    attributes: {
      ...(isObject(attributes) ? (attributes as JsonObject) : {}),
      ...prefixed('langfuse.observation.metadata.', rest),
      ...observationAttributes(one),
    },
    resource: isObject(resourceAttributes) ? (resourceAttributes as JsonObject) : {},
    scope: (isObject(scope) ? stringOf(scope['name']) : undefined) ?? 'langfuse',
    status: one['level'] === 'ERROR' ? { code: 2, message: stringOf(one['statusMessage']) ?? '' } : UNSET,
  };
}

function observationAttributes(one: Fields): JsonObject {
  return definedOnly({
    [TYPE]: stringOf(one['type'])?.toLowerCase(),
    'langfuse.observation.level': stringOf(one['level']),
    'langfuse.observation.status_message': stringOf(one['statusMessage']),
    'langfuse.observation.input': payloadOf(one['input']),
    'langfuse.observation.output': payloadOf(one['output']),
    'langfuse.observation.model.name': stringOf(one['model']),
    'langfuse.observation.model.parameters': payloadOf(one['modelParameters']),
    'langfuse.observation.usage_details': payloadOf(filled(one['usageDetails']) ?? filled(one['usage'])),
    'langfuse.observation.cost_details': payloadOf(filled(one['costDetails'])),
  });
}

function traceAttributes(trace: Fields): JsonObject {
  const metadata = unwrapped(trace['metadata']);
  const { attributes, resourceAttributes, scope, ...rest } = isObject(metadata) ? metadata : {};
  return {
    ...definedOnly({
      'langfuse.trace.id': stringOf(trace['id']),
      'langfuse.trace.name': stringOf(trace['name']),
      'langfuse.trace.tags': payloadOf(filled(trace['tags'])),
      'user.id': stringOf(trace['userId']),
      'session.id': stringOf(trace['sessionId']),
      'langfuse.release': stringOf(trace['release']),
      'langfuse.version': stringOf(trace['version']),
      'langfuse.environment': stringOf(trace['environment']),
      'label.scores': payloadOf(filled(trace['scores'])),
      'label.corrections': payloadOf(filled(trace['corrections'])),
    }),
    ...prefixed('langfuse.trace.metadata.', rest),
  };
}

const TYPE = 'langfuse.observation.type';
const UNSET = { code: 0, message: '' };

function blankSpan(traceId: string, spanId: string): Span {
  return {
    traceId,
    spanId,
    parentSpanId: null,
    name: '',
    kind: 0,
    startNs: '1',
    endNs: '1',
    attributes: {},
    events: [],
    resource: {},
    scope: 'langfuse',
    status: UNSET,
  };
}

/** Ids of OpenTelemetry stay as they are; any other id gives one of that length. */
function hexOf(id: unknown, digits: 16 | 32): string {
  const text = textOf(id) ?? '';
  return text.length === digits && /^[0-9a-f]+$/.test(text) && !/^0+$/.test(text)
    ? text
    : contentHash(['langfuse', text], digits);
}

/** A value out of its strings: JSON text of JSON text of a value is that value. */
function unwrapped(value: unknown): unknown {
  const inner = unwrapJson(value);
  return typeof inner === 'string' && inner !== value ? unwrapped(inner) : inner;
}

/** One level of text, as an attribute holds it: plain text as it is, anything else as JSON. */
function payloadOf(value: unknown): string | undefined {
  const inner = unwrapped(value);
  return inner === null || inner === undefined ? undefined : textOf(inner);
}

function isEmpty(value: unknown): boolean {
  return payloadOf(value) === undefined;
}

/** undefined for a list or an object with nothing in it. */
function filled(value: unknown): unknown {
  const inner = unwrapped(value);
  const size = Array.isArray(inner) ? inner.length : isObject(inner) ? Object.keys(inner).length : 1;
  return size === 0 ? undefined : inner;
}

function prefixed(prefix: string, members: Fields): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]) => {
      const text = payloadOf(value);
      return text === undefined ? [] : [[prefix + key, text]];
    }),
  );
}

/** ns since the epoch of an ISO 8601 time with up to nine digits of a second; undefined for anything else. */
function nsOf(time: unknown): bigint | undefined {
  if (typeof time !== 'string') return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || ms <= 0) return undefined;
  const digits = /\.(\d{1,9})/.exec(time)?.[1] ?? '';
  const seconds = BigInt(Math.floor(ms / 1000));
  return seconds * 1_000_000_000n + BigInt(digits.padEnd(9, '0'));
}
