/** OpenLLMetry (traceloop/openllmetry, semconv-ai): messages flattened under numbered keys, entities of the application. */
import { countOf, isObject, stringOf, unwrapJson, type Json, type JsonObject } from '../json.js';
import { turnsOf } from '../messages.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { rowsUnder } from './numbered.js';
import { answerFacts, requestFacts, toolArguments, toolResult } from './payload.js';

const KIND = 'traceloop.span.kind';
const INPUT = 'traceloop.entity.input';
const OUTPUT = 'traceloop.entity.output';

export const traceloop: Dialect = {
  name: 'traceloop',
  marks: ['traceloop.', 'gen_ai.prompt.', 'gen_ai.completion.', 'llm.request.', 'llm.usage.'],
  content: [INPUT, OUTPUT, 'gen_ai.prompt.', 'gen_ai.completion.', 'llm.request.functions.'],
  identify: identityOf,
  read: factsOf,
};

const KINDS: ReadonlyMap<unknown, SpanFacts['kind']> = new Map([
  ['agent', 'agent'],
  ['tool', 'tool_call'],
  ['workflow', 'other'],
  ['task', 'other'],
]);

function identityOf({ attributes: a }: Span): SpanIdentity {
  const type = a['llm.request.type'];
  if (type === 'chat' || type === 'completion') return { kind: 'model_call' };
  const kind = KINDS.get(a[KIND]);
  return kind === undefined ? { impliedKind: impliedKind(a) } : { kind };
}

function impliedKind(a: JsonObject): SpanFacts['kind'] | undefined {
  return 'gen_ai.completion.0.role' in a || 'gen_ai.completion.0.content' in a ? 'model_call' : undefined;
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const shared = { ...identity, sessionId: sessionOf(a), ...tokensOf(a) };
  const entity = stringOf(a['traceloop.entity.name']);
  if (identity.kind === 'tool_call')
    return {
      ...shared,
      toolName: entity ?? span.name,
      arguments: toolArguments(a[INPUT]),
      result: toolResult(a[OUTPUT]),
    };
  const choices = rowsUnder(a, 'gen_ai.completion');
  const turns: DialectFacts = {
    input: rowsUnder(a, 'gen_ai.prompt').flatMap((row) => messageOf(row, 'user')),
    output: choices.flatMap((row) => messageOf(row, 'assistant')),
    finishReasons: choices.flatMap((row) => stringOf(row['finish_reason']) ?? []),
    tools: rowsUnder(a, 'llm.request.functions').flatMap(toolDefinitionOf),
  };
  if (KINDS.get(a[KIND]) === undefined) return { ...turns, ...shared };
  return {
    ...turns,
    ...entityTurns(a),
    ...shared,
    agentName: entity ?? stringOf(a['traceloop.workflow.name']),
  };
}

/** A workflow's own input and answer, for a run whose model calls told nothing. */
function entityTurns(a: JsonObject): DialectFacts {
  return {
    ...(INPUT in a ? { input: requestFacts(a[INPUT]).input ?? [] } : {}),
    ...(OUTPUT in a ? { output: answerFacts(a[OUTPUT]).output ?? [] } : {}),
  };
}

function messageOf(row: JsonObject, speaker: TurnMessage['role']): TurnMessage[] {
  const calls = rowsUnder(row, 'tool_calls');
  const single =
    'function_call.name' in row
      ? [{ name: row['function_call.name'], arguments: row['function_call.arguments'] }]
      : [];
  return turnsOf(
    {
      role: row['role'] ?? speaker,
      content: contentOf(row['content']),
      tool_calls: calls.length > 0 ? calls : single,
      tool_call_id: row['tool_call_id'],
    },
    speaker,
  );
}

/** Parts are written as JSON text; a text that only happens to be a JSON list stays what it is. */
function contentOf(value: Json | undefined): unknown {
  const parsed = unwrapJson(value);
  const areParts =
    Array.isArray(parsed) && parsed.length > 0 && parsed.every((part) => isObject(part) && 'type' in part);
  return areParts ? parsed : (value ?? null);
}

function sessionOf(a: JsonObject): string | undefined {
  const keys = ['session_id', 'thread_id', 'conversation_id', 'chat_id'];
  return keys
    .map((key) => stringOf(a[`traceloop.association.properties.${key}`]))
    .find((id) => id !== undefined);
}

/** Older names of the counts; the current ones are gen_ai's. */
function tokensOf(a: JsonObject): DialectFacts {
  return {
    inputTokens: countOf(a['gen_ai.usage.prompt_tokens'] ?? a['llm.usage.prompt_tokens']),
    outputTokens: countOf(a['gen_ai.usage.completion_tokens'] ?? a['llm.usage.completion_tokens']),
    cacheReadTokens: countOf(a['gen_ai.usage.cache_read_input_tokens']),
    reasoningTokens: countOf(a['gen_ai.usage.reasoning_tokens'] ?? a['llm.usage.reasoning_tokens']),
  };
}
