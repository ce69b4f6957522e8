/** Traces and observations as Langfuse has them → spans with the attributes of its OpenTelemetry dialect. */
import { contentHash } from '#kernel/ids';
import { nsOfIso } from './iso-time.js';
import { definedOnly, isObject, stringOf, textOf, unwrapJson, without, type JsonObject } from './json.js';
import type { Span } from './span.js';

type Fields = Readonly<Record<string, unknown>>;

/** The span of the trace itself, above all others: the agent whose run it is. `times` are ns, of the trace and all in it. */
export function entrySpan(
  trace: Fields,
  around: { traceId: string; times: readonly (bigint | undefined)[] },
): Span {
  const times = around.times.filter((ns) => ns !== undefined).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return {
    ...blankSpan(around.traceId, entryIdOf(trace['id'])),
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

/** Span id of the trace itself, from its id in Langfuse. */
export function entryIdOf(traceId: unknown): string {
  return contentHash(['trace', traceId], 16);
}

/** The span of one observation; ids of OpenTelemetry stay, others are hashed. */
export function observationSpan(one: Fields, place: { traceId: string; parentSpanId: string | null }): Span {
  const startNs = nsOfIso(one['startTime']) ?? 1n;
  const metadata = unwrapped(one['metadata']);
  const { attributes, resourceAttributes, scope, ...rest } = isObject(metadata) ? metadata : {};
  return {
    ...blankSpan(place.traceId, hexOf(one['id'], 16)),
    parentSpanId: place.parentSpanId,
    name: stringOf(one['name']) ?? stringOf(one['type']) ?? 'observation',
    startNs: startNs.toString(),
    endNs: (nsOfIso(one['endTime']) ?? startNs).toString(),
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
    'langfuse.observation.usage_details': payloadOf(
      filled(one['usageDetails']) ?? filled(countsOf(one['usage'])),
    ),
    'langfuse.observation.cost_details': payloadOf(filled(one['costDetails'])),
    'langfuse.observation.completion_start_time': stringOf(one['completionStartTime']),
    'langfuse.observation.prompt.name': stringOf(one['promptName']),
    'langfuse.observation.prompt.version': stringOf(one['promptVersion']),
    'langfuse.version': stringOf(one['version']),
    'langfuse.environment': stringOf(one['environment']),
  });
}

export function traceAttributes(trace: Fields): JsonObject {
  const metadata = unwrapped(trace['metadata']);
  const own = isObject(metadata) ? without(metadata, 'attributes', 'resourceAttributes', 'scope') : {};
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
    ...prefixed('langfuse.trace.metadata.', own),
  };
}

export const TYPE = 'langfuse.observation.type';
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
export function hexOf(id: unknown, digits: 16 | 32): string {
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
export function payloadOf(value: unknown): string | undefined {
  const inner = unwrapped(value);
  return inner === null || inner === undefined ? undefined : textOf(inner);
}

/** The counts of the older `usage`: what they cost and their unit stand beside them. */
function countsOf(usage: unknown): unknown {
  const inner = unwrapped(usage);
  return isObject(inner) ? without(inner, 'unit', 'inputCost', 'outputCost', 'totalCost') : inner;
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
