/** LangSmith's OpenTelemetry export (langchain-ai/langsmith-sdk, _internal/otel): `gen_ai.*` with runs dumped whole. */
import { countOf, isObject, stringOf, unwrapJson, type JsonObject } from '../json.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { toolArguments, toolResult } from './payload.js';

export const langsmith: Dialect = {
  name: 'langsmith',
  marks: ['langsmith.'],
  content: [],
  identify: identityOf,
  read: factsOf,
};

const KINDS: ReadonlyMap<string, SpanFacts['kind']> = new Map([
  ['llm', 'model_call'],
  ['tool', 'tool_call'],
  ['agent', 'agent'],
]);

function identityOf({ attributes: a }: Span): SpanIdentity {
  const kind = stringOf(a['langsmith.span.kind']);
  return kind === undefined ? {} : { kind: KINDS.get(kind) ?? 'other' };
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const name = stringOf(a['langsmith.trace.name']) ?? span.name;
  return {
    ...identity,
    agentName: identity.kind === 'agent' ? name : stringOf(a['langsmith.metadata.lc_agent_name']),
    sessionId: sessionOf(a),
    model: stringOf(a['langsmith.metadata.ls_model_name']),
    provider: stringOf(a['langsmith.metadata.ls_provider']),
    ...partsOf(unwrapJson(a['langsmith.metadata.usage_metadata'])),
    ...(identity.kind === 'tool_call'
      ? {
          toolName: name,
          arguments: toolArguments(a['gen_ai.prompt']),
          result: toolResult(a['gen_ai.completion']),
        }
      : {}),
  };
}

/** The keys by which LangSmith groups a conversation; its `session` is a project. */
function sessionOf(a: JsonObject): string | undefined {
  const keys = ['session_id', 'thread_id', 'conversation_id'];
  return keys.map((key) => stringOf(a[`langsmith.metadata.${key}`])).find((id) => id !== undefined);
}

/** The counts of parts also stand under `gen_ai.usage.*_token_details`, there as Python's text of a dict. */
function partsOf(usage: unknown): DialectFacts {
  if (!isObject(usage)) return {};
  const input = usage['input_token_details'];
  const output = usage['output_token_details'];
  return {
    cacheReadTokens: isObject(input) ? countOf(input['cache_read']) : undefined,
    reasoningTokens: isObject(output) ? countOf(output['reasoning']) : undefined,
  };
}
