/** Vercel AI SDK telemetry (vercel/ai, packages/ai/src/telemetry): `ai.*` beside a few `gen_ai.*`. */
import { countOf, isObject, stringOf, textOf, unwrapJson, type JsonObject } from '../json.js';
import { toolCallOf } from '../message-parts.js';
import type { SpanFacts, TurnMessage } from '../span-facts.js';
import type { Span } from '../span.js';
import { toolDefinitionsOf } from '../tool-definitions.js';
import type { Dialect, DialectFacts, SpanIdentity } from './dialect.js';
import { requestFacts, toolResult } from './payload.js';

const OPERATION = 'ai.operationId';

export const aiSdk: Dialect = {
  name: 'ai_sdk',
  marks: [OPERATION, 'ai.model.id', 'ai.toolCall.name', 'ai.response.text'],
  content: ['ai.prompt', 'ai.prompt.', 'ai.response.text', 'ai.response.object', 'ai.response.toolCalls'],
  identify: identityOf,
  read: factsOf,
};

function identityOf({ attributes: a }: Span): SpanIdentity {
  return { kind: kindOf(a[OPERATION]), responseId: stringOf(a['ai.response.id']) };
}

/** `generateText` runs the loop of model and tools; each call to the model is its `doGenerate` below it. */
function kindOf(operation: unknown): SpanFacts['kind'] | undefined {
  if (typeof operation !== 'string') return undefined;
  if (operation === 'ai.toolCall') return 'tool_call';
  if (/\.do(Generate|Stream)$/.test(operation)) return 'model_call';
  return /^ai\.(generate|stream)Text$/.test(operation) ? 'agent' : 'other';
}

function factsOf(span: Span): DialectFacts {
  const a = span.attributes;
  const identity = identityOf(span);
  const reason = stringOf(a['ai.response.finishReason']);
  return {
    ...identity,
    agentName: identity.kind === 'agent' ? stringOf(a['ai.telemetry.functionId']) : undefined,
    sessionId: sessionOf(a),
    model: stringOf(a['ai.model.id']),
    responseModel: stringOf(a['ai.response.model']),
    provider: stringOf(a['ai.model.provider']),
    finishReasons: reason === undefined ? [] : [reason],
    ...tokensOf(a),
    input: inputOf(a),
    output: outputOf(a),
    tools: toolDefinitionsOf(a['ai.prompt.tools']),
    toolName: stringOf(a['ai.toolCall.name']),
    toolCallId: stringOf(a['ai.toolCall.id']),
    arguments: textOf(a['ai.toolCall.args'] ?? a['ai.toolCall.input']),
    // JSON text of what the tool returned: a string in its quotes.
    result: toolResult(a['ai.toolCall.result'] ?? a['ai.toolCall.output']),
  };
}

/** Metadata is free; these names are usual. */
function sessionOf(a: JsonObject): string | undefined {
  const keys = [
    'sessionId',
    'session_id',
    'langfuseSessionId',
    'threadId',
    'thread_id',
    'chatId',
    'conversationId',
  ];
  return keys.map((key) => stringOf(a[`ai.telemetry.metadata.${key}`])).find((id) => id !== undefined);
}

/** Names of version 6, 5 and 4 of the SDK. */
function tokensOf(a: JsonObject): DialectFacts {
  return {
    inputTokens: countOf(a['ai.usage.inputTokens'] ?? a['ai.usage.promptTokens']),
    outputTokens: countOf(a['ai.usage.outputTokens'] ?? a['ai.usage.completionTokens']),
    cacheReadTokens: countOf(
      a['ai.usage.inputTokenDetails.cacheReadTokens'] ?? a['ai.usage.cachedInputTokens'],
    ),
    reasoningTokens: countOf(
      a['ai.usage.outputTokenDetails.reasoningTokens'] ?? a['ai.usage.reasoningTokens'],
    ),
  };
}

function inputOf(a: JsonObject): TurnMessage[] {
  const prompt = a['ai.prompt.messages'] ?? a['ai.prompt'];
  return prompt === undefined ? [] : (requestFacts(prompt).input ?? []);
}

function outputOf(a: JsonObject): TurnMessage[] {
  const calls = unwrapJson(a['ai.response.toolCalls']);
  const toolCalls = Array.isArray(calls) ? calls.map(unwrapJson).filter(isObject).map(toolCallOf) : [];
  const content = stringOf(a['ai.response.text']) ?? textOf(a['ai.response.object']) ?? null;
  if (content === null && toolCalls.length === 0) return [];
  return [{ role: 'assistant', content, ...(toolCalls.length > 0 ? { toolCalls } : {}) }];
}
