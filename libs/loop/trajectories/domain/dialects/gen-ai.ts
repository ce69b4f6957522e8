/** OpenTelemetry GenAI conventions, current names (semantic-conventions-genai, docs/registry/attributes/gen-ai.md). */
import { countOf, stringOf, stringsOf, textOf, type JsonObject } from '../json.js';
import { messagesOf, systemMessagesOf } from '../messages.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

export const genAi: Dialect = {
  name: 'gen_ai',
  marks: ['gen_ai.'],
  content: [
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.system_instructions',
    'gen_ai.tool.definitions',
  ],
  identify: (span) => identityOf(withDetails(span)),
  read: (span) => factsOf(span, withDetails(span)),
};

function identityOf(a: JsonObject): SpanIdentity {
  return {
    kind: kindOf(a['gen_ai.operation.name']),
    impliedKind: impliedKind(a),
    responseId: stringOf(a['gen_ai.response.id']),
  };
}

/** Content may come on an event with the same attribute names. */
function withDetails(span: Span): JsonObject {
  if (span.events.length === 0) return span.attributes;
  const details = span.events
    .filter((event) => event.name === DETAILS_EVENT)
    .map((event) => event.attributes);
  return Object.assign({}, ...details, span.attributes) as JsonObject;
}

function factsOf(span: Span, a: JsonObject): DialectFacts {
  return {
    ...identityOf(a),
    agentName: stringOf(a['gen_ai.agent.name']) ?? /^invoke_agent (.+)$/.exec(span.name)?.[1],
    sessionId: stringOf(a['gen_ai.conversation.id']),
    model: stringOf(a['gen_ai.request.model']),
    responseModel: stringOf(a['gen_ai.response.model']),
    provider: stringOf(a['gen_ai.provider.name']) ?? stringOf(a['gen_ai.system']),
    finishReasons: stringsOf(a['gen_ai.response.finish_reasons']),
    inputTokens: countOf(a['gen_ai.usage.input_tokens']),
    outputTokens: countOf(a['gen_ai.usage.output_tokens']),
    cacheReadTokens: countOf(a['gen_ai.usage.cache_read.input_tokens']),
    reasoningTokens: countOf(a['gen_ai.usage.reasoning.output_tokens']),
    input: [...systemMessagesOf(a['gen_ai.system_instructions']), ...messagesOf(a['gen_ai.input.messages'])],
    output: messagesOf(a['gen_ai.output.messages'], 'assistant'),
    tools: toolDefinitionsOf(a['gen_ai.tool.definitions']),
    toolName: stringOf(a['gen_ai.tool.name']),
    toolCallId: stringOf(a['gen_ai.tool.call.id']),
    arguments: textOf(a['gen_ai.tool.call.arguments']),
    result: textOf(a['gen_ai.tool.call.result']),
  };
}

/** Names that are not in the registry are Gemini CLI's. Of an unknown operation nothing is said here. */
const KINDS: ReadonlyMap<unknown, SpanFacts['kind']> = new Map([
  ['invoke_agent', 'agent'],
  ['agent_call', 'agent'],
  ['chat', 'model_call'],
  ['text_completion', 'model_call'],
  ['generate_content', 'model_call'],
  ['llm_call', 'model_call'],
  ['execute_tool', 'tool_call'],
  ['tool_call', 'tool_call'],
]);

const OTHER = /^(embeddings|retrieval|create_agent|invoke_workflow|plan|fetch_response|\w+_memory(_store)?)$/;

function kindOf(operation: unknown): SpanFacts['kind'] | undefined {
  const kind = KINDS.get(operation);
  if (kind !== undefined) return kind;
  return typeof operation === 'string' && OTHER.test(operation) ? 'other' : undefined;
}

/** Exporters that leave the operation out still name the tool or the model. */
function impliedKind(a: JsonObject): SpanFacts['kind'] | undefined {
  if ('gen_ai.tool.name' in a) return 'tool_call';
  return 'gen_ai.request.model' in a && !('gen_ai.agent.name' in a) ? 'model_call' : undefined;
}
