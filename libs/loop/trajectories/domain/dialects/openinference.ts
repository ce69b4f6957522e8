/** OpenInference conventions (Arize-ai/openinference, spec/semantic_conventions.md): flattened lists under numbered keys. */
import {
  countOf,
  definedOnly,
  isObject,
  stringOf,
  textOf,
  unwrapJson,
  type Json,
  type JsonObject,
} from '../json.js';
import { fromOpenAi } from '../messages.js';
import { errorOf, evaluationsOf } from '../span-common.js';
import type { Span } from '../span.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import { toolDefinitionOf } from '../tool-definitions.js';
import type { Usage } from '../contract.js';
import type { Dialect, SpanIdentity } from './dialect.js';

const KIND = 'openinference.span.kind';

export const openInference: Dialect = {
  name: 'openinference',
  speaks: (span) => KIND in span.attributes,
  identify: identityOf,
  read: factsOf,
};

function identityOf(span: Span): SpanIdentity {
  return definedOnly({
    kind: kindOf(span.attributes[KIND]),
    responseId: stringOf(span.attributes['gen_ai.response.id']),
  });
}

function factsOf(span: Span): SpanFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const { kind } = identity;
  const isTool = kind === 'tool_call';
  return definedOnly({
    ...identity,
    agentName: stringOf(a['agent.name']) ?? (kind === 'agent' ? span.name : undefined),
    sessionId: stringOf(a['session.id']),
    model: stringOf(a['llm.request.model_name']) ?? stringOf(a['llm.model_name']),
    responseModel: stringOf(a['llm.response.model_name']),
    provider: stringOf(a['llm.provider']) ?? stringOf(a['llm.system']),
    finishReasons: finishReasonsOf(a['llm.finish_reason']),
    usage: usageOf(a),
    input: isTool ? [] : messagesUnder(a, 'llm.input_messages', { role: 'user', value: a['input.value'] }),
    output: isTool
      ? []
      : messagesUnder(a, 'llm.output_messages', { role: 'assistant', value: a['output.value'] }),
    tools: rowsUnder(a, 'llm.tools').flatMap((row) => toolDefinitionOf(row['tool.json_schema'])),
    toolName: isTool ? (stringOf(a['tool.name']) ?? span.name) : undefined,
    toolCallId: isTool ? (stringOf(a['tool_call.id']) ?? stringOf(a['tool.id'])) : undefined,
    arguments: isTool ? textOf(a['input.value'] ?? a['tool.parameters']) : undefined,
    result: isTool ? textOf(a['output.value']) : undefined,
    error: errorOf(span),
    evaluations: evaluationsOf(span),
  });
}

function kindOf(kind: Json | undefined): SpanFacts['kind'] {
  if (kind === 'AGENT') return 'agent';
  if (kind === 'LLM') return 'model_call';
  return kind === 'TOOL' ? 'tool_call' : 'other';
}

function finishReasonsOf(value: Json | undefined): string[] | undefined {
  const reason = stringOf(value);
  return reason === undefined ? undefined : [reason];
}

/** `prefix.<i>.rest` → one object a number, in the order of the numbers. */
function rowsUnder(a: JsonObject, prefix: string): JsonObject[] {
  const rows = new Map<number, JsonObject>();
  for (const [key, value] of Object.entries(a)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const [index = '', ...rest] = key.slice(prefix.length + 1).split('.');
    if (!/^\d{1,6}$/.test(index)) continue;
    const row = rows.get(Number(index)) ?? {};
    row[rest.join('.')] = value;
    rows.set(Number(index), row);
  }
  return [...rows].sort(([x], [y]) => x - y).map(([, row]) => row);
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

function usageOf(a: JsonObject): Usage | undefined {
  const inputTokens = countOf(a['llm.token_count.prompt']) ?? null;
  const outputTokens = countOf(a['llm.token_count.completion']) ?? null;
  if (inputTokens === null && outputTokens === null) return undefined;
  const cacheReadTokens = countOf(a['llm.token_count.prompt_details.cache_read']);
  const reasoningTokens = countOf(a['llm.token_count.completion_details.reasoning']);
  return definedOnly({ inputTokens, outputTokens, cacheReadTokens, reasoningTokens });
}
