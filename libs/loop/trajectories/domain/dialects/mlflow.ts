/** MLflow tracing (mlflow/mlflow, mlflow/tracing/constant.py): every attribute is JSON text, a string too. */
import { countOf, isObject, stringOf, unwrapJson } from '../json.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { answerFacts, requestFacts, toolArguments, toolResult } from './payload.js';

const TYPE = 'mlflow.spanType';
const INPUTS = 'mlflow.spanInputs';
const OUTPUTS = 'mlflow.spanOutputs';

export const mlflow: Dialect = {
  name: 'mlflow',
  marks: [TYPE, INPUTS, OUTPUTS, 'mlflow.chat.'],
  content: [INPUTS, OUTPUTS, 'mlflow.chat.tools'],
  identify: identityOf,
  read: factsOf,
};

const KINDS: ReadonlyMap<unknown, SpanFacts['kind']> = new Map([
  ['AGENT', 'agent'],
  ['LLM', 'model_call'],
  ['CHAT_MODEL', 'model_call'],
  ['TOOL', 'tool_call'],
]);

function identityOf({ attributes: a }: Span): SpanIdentity {
  const type = unwrapJson(a[TYPE]);
  if (type === undefined || type === 'UNKNOWN') return {};
  return { kind: KINDS.get(type) ?? 'other' };
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const shared: DialectFacts = {
    ...identity,
    agentName: identity.kind === 'agent' ? span.name : undefined,
    sessionId: text(a['mlflow.trace.session']) ?? stringOf(a['session.id']),
  };
  if (identity.kind === 'tool_call')
    return {
      ...shared,
      toolName: text(a['mlflow.spanFunctionName']) ?? span.name,
      arguments: toolArguments(a[INPUTS]),
      result: toolResult(a[OUTPUTS]),
    };
  const request = INPUTS in a ? requestFacts(a[INPUTS]) : {};
  const answer = OUTPUTS in a ? answerFacts(a[OUTPUTS]) : {};
  const offered = toolDefinitionsOf(a['mlflow.chat.tools']);
  return {
    ...request,
    ...answer,
    ...shared,
    ...tokensOf(unwrapJson(a['mlflow.chat.tokenUsage'])),
    tools: offered.length > 0 ? offered : (request.tools ?? []),
    model: text(a['mlflow.llm.model']) ?? request.model,
    provider: text(a['mlflow.llm.provider']),
  };
}

function text(value: unknown): string | undefined {
  return stringOf(unwrapJson(value));
}

function tokensOf(usage: unknown): DialectFacts {
  if (!isObject(usage)) return {};
  return {
    inputTokens: countOf(usage['input_tokens']),
    outputTokens: countOf(usage['output_tokens']),
    cacheReadTokens: countOf(usage['cache_read_input_tokens']),
  };
}
