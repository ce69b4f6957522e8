/** Langfuse's OpenTelemetry attributes (langfuse/langfuse-python, langfuse/_client/attributes.py). */
import { countOf, isObject, stringOf, unwrapJson, type JsonObject } from '../json.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { langfuseInput, langfuseOutput } from './langfuse-payload.js';
import { answerFacts, requestFacts, toolArguments, toolResult } from './payload.js';

const TYPE = 'langfuse.observation.type';
const INPUT = 'langfuse.observation.input';
const OUTPUT = 'langfuse.observation.output';

export const langfuse: Dialect = {
  name: 'langfuse',
  marks: ['langfuse.'],
  content: [INPUT, OUTPUT, 'langfuse.trace.input', 'langfuse.trace.output'],
  identify: identityOf,
  read: factsOf,
};

function identityOf({ attributes: a }: Span): SpanIdentity {
  const kind = KINDS.get(stringOf(a[TYPE])?.toLowerCase());
  return kind === undefined ? {} : { kind };
}

/** A `span` is anything: another dialect may know better. */
const KINDS: ReadonlyMap<string | undefined, SpanFacts['kind']> = new Map([
  ['generation', 'model_call'],
  ['agent', 'agent'],
  ['tool', 'tool_call'],
  ['event', 'other'],
  ['chain', 'other'],
  ['retriever', 'other'],
  ['evaluator', 'other'],
  ['embedding', 'other'],
  ['guardrail', 'other'],
]);

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const shared: DialectFacts = {
    ...identity,
    agentName: identity.kind === 'agent' ? span.name : stringOf(a['langfuse.trace.name']),
    sessionId: stringOf(a['langfuse.session.id']) ?? stringOf(a['session.id']),
    error: errorOf(a),
  };
  if (identity.kind === 'tool_call') return { ...shared, ...toolFacts(span) };
  const request = INPUT in a ? requestFacts(langfuseInput(a[INPUT])) : {};
  const answer = OUTPUT in a ? answerFacts(langfuseOutput(a[OUTPUT])) : {};
  return {
    ...request,
    ...answer,
    ...shared,
    ...langfuseTokens(unwrapJson(a['langfuse.observation.usage_details'])),
    model: stringOf(a['langfuse.observation.model.name']) ?? request.model,
  };
}

function toolFacts(span: Span): DialectFacts {
  return {
    toolName: span.name,
    arguments: toolArguments(span.attributes[INPUT]),
    result: toolResult(span.attributes[OUTPUT]),
  };
}

function errorOf(a: JsonObject): string | undefined {
  if (stringOf(a['langfuse.observation.level']) !== 'ERROR') return undefined;
  return stringOf(a['langfuse.observation.status_message']) ?? 'error';
}

/**
 * Usage as Langfuse takes it: provider's own names, whose parts are subsets, or Langfuse's (`input`, `input_cached_tokens`,
 * `output`, …), whose parts stand apart and are summed, unless the total says that they are subsets too.
 */
export function langfuseTokens(details: unknown): DialectFacts {
  if (!isObject(details)) return {};
  const counts = new Map(
    Object.entries(details).flatMap(([key, value]) => {
      const count = countOf(value);
      return count === undefined ? [] : [[key, count] as const];
    }),
  );
  if (!counts.has('input') && !counts.has('output')) return providerTokens(details);
  const apart = counts.get('total') !== (counts.get('input') ?? 0) + (counts.get('output') ?? 0);
  const sideOf = (side: 'input' | 'output'): number | undefined => {
    if (!apart) return counts.get(side);
    const parts = [...counts].filter(
      ([key]) => key.startsWith(side) || (side === 'input' && CACHE.test(key)),
    );
    return parts.length === 0 ? undefined : parts.reduce((sum, [, count]) => sum + count, 0);
  };
  const first = (test: RegExp): number | undefined => [...counts].find(([key]) => test.test(key))?.[1];
  return {
    inputTokens: sideOf('input'),
    outputTokens: sideOf('output'),
    cacheReadTokens: first(CACHE_READ),
    reasoningTokens: first(/^output.*reasoning/),
  };
}

const CACHE = /^cache_(read|creation)_/;
const CACHE_READ = /^(cache_read_input_tokens|input_cache_read|input_cached_tokens|cache_read)$/;

/** OpenAI's names, of its chat and its Responses API. */
function providerTokens(details: Record<string, unknown>): DialectFacts {
  const inDetails = details['prompt_tokens_details'] ?? details['input_tokens_details'];
  const outDetails = details['completion_tokens_details'] ?? details['output_tokens_details'];
  return {
    inputTokens: countOf(details['prompt_tokens'] ?? details['input_tokens'] ?? details['promptTokens']),
    outputTokens: countOf(
      details['completion_tokens'] ?? details['output_tokens'] ?? details['completionTokens'],
    ),
    cacheReadTokens: isObject(inDetails) ? countOf(inDetails['cached_tokens']) : undefined,
    reasoningTokens: isObject(outDetails) ? countOf(outDetails['reasoning_tokens']) : undefined,
  };
}
