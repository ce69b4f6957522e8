/** Google's Agent Development Kit (google/adk-python, telemetry/tracing.py): requests and answers as JSON of Google's API. */
import { countOf, isObject, stringOf, textOf, unwrapJson, type Json, type JsonObject } from '../json.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { answerFacts, requestFacts, saidBy } from './payload.js';

const REQUEST = 'gcp.vertex.agent.llm_request';
const RESPONSE = 'gcp.vertex.agent.llm_response';
const ARGUMENTS = 'gcp.vertex.agent.tool_call_args';
const RESULT = 'gcp.vertex.agent.tool_response';
const DATA = 'gcp.vertex.agent.data';

export const googleAdk: Dialect = {
  name: 'google_adk',
  marks: ['gcp.vertex.agent.'],
  content: [REQUEST, RESPONSE, DATA],
  identify: identityOf,
  read: factsOf,
};

function identityOf({ attributes: a }: Span): SpanIdentity {
  return { kind: kindOf(a) };
}

/** A tool span also carries an empty request and answer; the span of merged results tells its calls a second time. */
function kindOf(a: JsonObject): SpanFacts['kind'] | undefined {
  if (a['gen_ai.tool.name'] === '(merged tools)') return 'other';
  if (ARGUMENTS in a) return 'tool_call';
  return REQUEST in a ? 'model_call' : undefined;
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const shared = { ...identity, sessionId: stringOf(a['gcp.vertex.agent.session_id']) };
  if (identity.kind === 'tool_call')
    return {
      ...shared,
      toolCallId: specified(a['gen_ai.tool.call.id']),
      arguments: written(a[ARGUMENTS]),
      result: written(a[RESULT]),
    };
  if (identity.kind !== 'model_call') return { ...shared, input: DATA in a ? saidBy('user', a[DATA]) : [] };
  const response = unwrapJson(a[RESPONSE]);
  return {
    ...(isEmpty(a[REQUEST]) ? {} : requestFacts(a[REQUEST])),
    ...(isEmpty(a[RESPONSE]) ? {} : answerFacts(a[RESPONSE])),
    ...(isObject(response) ? tokensOf(response['usage_metadata']) : {}),
    ...shared,
  };
}

/** Google counts thoughts beside the candidates, and cached tokens inside the prompt. */
function tokensOf(usage: unknown): DialectFacts {
  if (!isObject(usage)) return {};
  const candidates = countOf(usage['candidates_token_count']);
  const thoughts = countOf(usage['thoughts_token_count']);
  return {
    inputTokens: countOf(usage['prompt_token_count']),
    outputTokens:
      candidates === undefined && thoughts === undefined ? undefined : (candidates ?? 0) + (thoughts ?? 0),
    cacheReadTokens: countOf(usage['cached_content_token_count']),
    reasoningTokens: thoughts,
  };
}

function specified(value: Json | undefined): string | undefined {
  return value === '<not specified>' ? undefined : stringOf(value);
}

function written(value: Json | undefined): string | undefined {
  return value === 'N/A' || value === '<not serializable>' ? undefined : textOf(value);
}

function isEmpty(value: unknown): boolean {
  const parsed = unwrapJson(value);
  return !isObject(parsed) || Object.keys(parsed).length === 0;
}
