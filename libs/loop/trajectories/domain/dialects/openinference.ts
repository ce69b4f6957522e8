/** OpenInference conventions (Arize-ai/openinference, spec/semantic_conventions.md): flattened lists under numbered keys. */
import { countOf, isObject, stringOf, textOf, unwrapJson, type Json, type JsonObject } from '../json.js';
import { fromOpenAi } from '../messages.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { rowsUnder } from './numbered.js';

const KIND = 'openinference.span.kind';

export const openInference: Dialect = {
  name: 'openinference',
  marks: [KIND],
  content: ['input.value', 'output.value', 'llm.input_messages.', 'llm.output_messages.', 'llm.tools.'],
  identify: identityOf,
  read: factsOf,
};

function identityOf(span: Span): SpanIdentity {
  return { kind: kindOf(span.attributes[KIND]) };
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const { kind } = identityOf(span);
  const reason = stringOf(a['llm.finish_reason']);
  return {
    kind,
    agentName: stringOf(a['agent.name']) ?? (kind === 'agent' ? span.name : undefined),
    sessionId: stringOf(a['session.id']),
    model: stringOf(a['llm.request.model_name']) ?? stringOf(a['llm.model_name']),
    responseModel: stringOf(a['llm.response.model_name']),
    provider: stringOf(a['llm.provider']) ?? stringOf(a['llm.system']),
    finishReasons: reason === undefined ? [] : [reason],
    inputTokens: countOf(a['llm.token_count.prompt']),
    outputTokens: countOf(a['llm.token_count.completion']),
    cacheReadTokens: countOf(a['llm.token_count.prompt_details.cache_read']),
    reasoningTokens: countOf(a['llm.token_count.completion_details.reasoning']),
    ...(kind === 'tool_call' ? toolFacts(span) : conversationFacts(a)),
  };
}

function toolFacts(span: Span): DialectFacts {
  const a = span.attributes;
  return {
    toolName: stringOf(a['tool.name']) ?? span.name,
    toolCallId: stringOf(a['tool_call.id']) ?? stringOf(a['tool.id']),
    arguments: textOf(a['input.value'] ?? a['tool.parameters']),
    result: textOf(a['output.value']),
  };
}

function conversationFacts(a: JsonObject): DialectFacts {
  return {
    input: messagesUnder(a, 'llm.input_messages', { role: 'user', value: a['input.value'] }),
    output: messagesUnder(a, 'llm.output_messages', { role: 'assistant', value: a['output.value'] }),
    tools: rowsUnder(a, 'llm.tools').flatMap((row) => toolDefinitionOf(row['tool.json_schema'])),
  };
}

function kindOf(kind: Json | undefined): SpanFacts['kind'] {
  if (kind === 'AGENT') return 'agent';
  if (kind === 'LLM') return 'model_call';
  return kind === 'TOOL' ? 'tool_call' : 'other';
}

function messagesUnder(
  a: JsonObject,
  prefix: string,
  fallback: { role: TurnMessage['role']; value: Json | undefined },
): TurnMessage[] {
  const messages = rowsUnder(a, prefix).map(messageOf);
  if (messages.length > 0) return messages;
  const content = fallbackText(fallback.value);
  return content === undefined ? [] : [{ role: fallback.role, content }];
}

/** `{"input": "…"}` is how chains wrap plain text. */
function fallbackText(value: Json | undefined): string | undefined {
  const parsed = unwrapJson(value);
  const inner = isObject(parsed) ? (parsed['input'] ?? parsed['output']) : undefined;
  return typeof inner === 'string' ? inner : textOf(value);
}

function messageOf(row: JsonObject): TurnMessage {
  const calls = rowsUnder(row, 'message.tool_calls').map((call) => ({
    id: call['tool_call.id'] ?? '',
    function: {
      name: call['tool_call.function.name'] ?? '',
      arguments: call['tool_call.function.arguments'] ?? '',
    },
  }));
  const parts = rowsUnder(row, 'message.contents').map((part) => ({
    type: 'text',
    text: part['message_content.text'],
  }));
  return fromOpenAi({
    role: row['message.role'],
    content: row['message.content'] ?? (parts.length > 0 ? parts : null),
    tool_calls: calls,
    tool_call_id: row['message.tool_call_id'],
    name: row['message.name'],
  });
}
