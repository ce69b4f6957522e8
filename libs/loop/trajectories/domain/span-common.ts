/** What every dialect shares: OpenTelemetry's own status and exception event, and GenAI evaluation events. */
import { definedOnly, stringOf, type Json } from './json.js';
import { STATUS_ERROR, type Span } from './span.js';
import type { Evaluation } from './span-facts.js';

/** The error a span ended with: its status, else an exception, else `error.type`; undefined when it ended well. */
export function errorOf(span: Span): string | undefined {
  const exception = span.events.find((event) => event.name === 'exception')?.attributes;
  const said = stringOf(exception?.['exception.message']) ?? stringOf(span.attributes['error.type']);
  if (span.status.code === STATUS_ERROR) return span.status.message || said || 'error';
  return stringOf(span.attributes['error.type']);
}

export function evaluationsOf(span: Span): Evaluation[] {
  return span.events
    .filter((event) => event.name === 'gen_ai.evaluation.result')
    .map(({ attributes: a }) =>
      definedOnly({
        name: stringOf(a['gen_ai.evaluation.name']) ?? '',
        score: scoreOf(a['gen_ai.evaluation.score.value']),
        label: stringOf(a['gen_ai.evaluation.score.label']),
      }),
    );
}

function scoreOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
