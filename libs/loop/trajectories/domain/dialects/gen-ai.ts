/** OpenTelemetry GenAI conventions, current names (semantic-conventions-genai, docs/registry/attributes/gen-ai.md). */
import { countOf, definedOnly, stringOf, stringsOf, textOf, type JsonObject } from '../json.js';
import { messagesOf, systemMessagesOf } from '../messages.js';
import { errorOf, evaluationsOf } from '../span-common.js';
import type { Span } from '../span.js';
import type { SpanFacts } from '../span-facts.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Usage } from '../contract.js';
import type { Dialect, SpanIdentity } from './dialect.js';

const DETAILS_EVENT = 'gen_ai.client.inference.operation.details';

export const genAi: Dialect = {
  name: 'gen_ai',
  speaks: (span) => Object.keys(span.attributes).some((key) => key.startsWith('gen_ai.')),
  identify: (span) => identityOf(withDetails(span)),
  read: (span) => factsOf(span, withDetails(span)),
};

function identityOf(a: JsonObject): SpanIdentity {
  return definedOnly({ kind: kindOf(a), responseId: stringOf(a['gen_ai.response.id']) });
}

/** Content may come on an event with the same attribute names. */
function withDetails(span: Span): JsonObject {
  if (span.events.length === 0) return span.attributes;
  const details = span.events
    .filter((event) => event.name === DETAILS_EVENT)
    .map((event) => event.attributes);
  return Object.assign({}, ...details, span.attributes) as JsonObject;
}

function factsOf(span: Span, a: JsonObject): SpanFacts {
  return definedOnly({
    ...identityOf(a),
    agentName: stringOf(a['gen_ai.agent.name']) ?? /^invoke_agent (.+)$/.exec(span.name)?.[1],
    sessionId: stringOf(a['gen_ai.conversation.id']) ?? stringOf(a['session.id']),
    model: stringOf(a['gen_ai.request.model']),
    responseModel: stringOf(a['gen_ai.response.model']),
    provider: stringOf(a['gen_ai.provider.name']) ?? stringOf(a['gen_ai.system']),
    finishReasons: stringsOf(a['gen_ai.response.finish_reasons']),
    usage: usageOf(a),
    input: [...systemMessagesOf(a['gen_ai.system_instructions']), ...messagesOf(a['gen_ai.input.messages'])],
    output: messagesOf(a['gen_ai.output.messages']),
    tools: toolDefinitionsOf(a['gen_ai.tool.definitions']),
    toolName: stringOf(a['gen_ai.tool.name']),
    toolCallId: stringOf(a['gen_ai.tool.call.id']),
    arguments: textOf(a['gen_ai.tool.call.arguments']),
    result: textOf(a['gen_ai.tool.call.result']),
    error: errorOf(span),
    evaluations: evaluationsOf(span),
  });
}

function kindOf(a: JsonObject): SpanFacts['kind'] {
  switch (String(a['gen_ai.operation.name'])) {
    case 'invoke_agent':
      return 'agent';
    case 'chat':
    case 'text_completion':
    case 'generate_content':
      return 'model_call';
    case 'execute_tool':
      return 'tool_call';
    default:
      return a['gen_ai.operation.name'] === undefined ? impliedKind(a) : 'other';
  }
}

/** Exporters that leave the operation out still name the tool or the model. */
function impliedKind(a: JsonObject): SpanFacts['kind'] {
  if ('gen_ai.tool.name' in a) return 'tool_call';
  return 'gen_ai.request.model' in a && !('gen_ai.agent.name' in a) ? 'model_call' : 'other';
}

function usageOf(a: JsonObject): Usage | undefined {
  const inputTokens = countOf(a['gen_ai.usage.input_tokens']) ?? null;
  const outputTokens = countOf(a['gen_ai.usage.output_tokens']) ?? null;
  if (inputTokens === null && outputTokens === null) return undefined;
  const cacheReadTokens = countOf(a['gen_ai.usage.cache_read.input_tokens']);
  const reasoningTokens = countOf(a['gen_ai.usage.reasoning.output_tokens']);
  return definedOnly({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens });
}
