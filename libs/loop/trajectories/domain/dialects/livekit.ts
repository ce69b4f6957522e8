/** LiveKit Agents (livekit/agents, telemetry/trace_types.py): `lk.*`, content under `lk.pii.*` since 2026. */
import { isObject, stringOf, stringsOf, textOf, unwrapJson, type Json, type JsonObject } from '../json.js';
import { toolCallOf } from '../message-parts.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { requestFacts } from './payload.js';

const CONTENT = ['chat_ctx', 'response.text', 'response.function_calls', 'user_input', 'instructions'];

export const livekit: Dialect = {
  name: 'livekit',
  marks: ['lk.'],
  content: CONTENT.flatMap((name) => [`lk.${name}`, `lk.pii.${name}`]),
  identify: ({ attributes: a, name }) => ({ kind: kindOf(a, name) }),
  read: factsOf,
} satisfies Dialect & { identify(span: Span): SpanIdentity };

function kindOf(a: JsonObject, name: string): SpanFacts['kind'] | undefined {
  if (name === 'agent_session') return 'agent';
  if ('lk.function_tool.name' in a) return 'tool_call';
  return given(a, 'chat_ctx') === undefined ? undefined : 'model_call';
}

function given(a: JsonObject, name: string): Json | undefined {
  return a[`lk.pii.${name}`] ?? a[`lk.${name}`];
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const kind = kindOf(a, span.name);
  const output = textOf(given(a, 'function_tool.output'));
  const failed = a['lk.function_tool.is_error'] === true;
  return {
    kind,
    agentName: stringOf(a['lk.agent_name']) ?? stringOf(a['lk.agent_label']),
    input: inputOf(a),
    output: outputOf(a),
    tools: toolDefinitionsOf(a['lk.function_tools']),
    toolName: stringOf(a['lk.function_tool.name']),
    toolCallId: stringOf(a['lk.function_tool.id']),
    arguments: textOf(given(a, 'function_tool.arguments')),
    result: output,
    error: failed ? output : undefined,
  };
}

function inputOf(a: JsonObject): TurnMessage[] {
  const context = given(a, 'chat_ctx');
  if (context !== undefined) return requestFacts(context).input ?? [];
  const said = stringOf(given(a, 'user_input'));
  return said === undefined ? [] : [{ role: 'user', content: said }];
}

function outputOf(a: JsonObject): TurnMessage[] {
  const value = given(a, 'response.function_calls');
  const items = stringsOf(value) ?? [];
  const list = items.length > 0 ? items : unwrapJson(value);
  const calls = (Array.isArray(list) ? list : []).map(unwrapJson).filter(isObject);
  const content = stringOf(given(a, 'response.text')) ?? null;
  if (content === null && calls.length === 0) return [];
  const toolCalls = calls.map((call) => toolCallOf({ ...call, id: call['call_id'] ?? call['id'] }));
  return [{ role: 'assistant', content, ...(toolCalls.length > 0 ? { toolCalls } : {}) }];
}
