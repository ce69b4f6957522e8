/**
 * Langfuse exports of one trace, `{trace, observations}`: observations → spans, which are assembled like any others. Inputs,
 * outputs and metadata are JSON in strings, at times in strings again; spans that Langfuse took over OpenTelemetry have
 * their attributes in the metadata. Scores and corrections tell the answer.
 */
import { nsOfIso } from '../domain/iso-time.js';
import { isObject, stringOf } from '../domain/json.js';
import {
  entrySpan,
  hexOf,
  observationSpan,
  payloadOf,
  traceAttributes,
  TYPE,
} from '../domain/langfuse-spans.js';
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
      const span = observationSpan(one, { traceId, parentSpanId: parentOf(one, known, null) });
      return one === only ? asEntry(span, trace) : span;
    });
  }
  if (observations.length === 0 && isEmpty(trace['input']) && isEmpty(trace['output'])) return [];
  const entry = entrySpan(trace, {
    traceId,
    times: [trace['timestamp'], ...observations.flatMap((one) => [one['startTime'], one['endTime']])].map(
      nsOfIso,
    ),
  });
  return [
    entry,
    ...observations.map((one) =>
      observationSpan(one, { traceId, parentSpanId: parentOf(one, known, entry.spanId) }),
    ),
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

function isEmpty(value: unknown): boolean {
  return payloadOf(value) === undefined;
}
