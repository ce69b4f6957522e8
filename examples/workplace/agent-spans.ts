/** A run as OpenTelemetry spans in OTLP/JSON, with the GenAI conventions' names (semantic-conventions-genai). */
import type { ChatMessage, ToolDefinition } from '#contracts/chat';
import { ModelError } from './agent-chat.js';
import type { AgentRun, ModelTurn, TimedSpan, ToolUse } from './agent-run.js';

export const AGENT_NAME = 'workplace-assistant';

const KIND_INTERNAL = 1;
const KIND_CLIENT = 3;
const STATUS_ERROR = 2;

type AttributeValue = string | number | readonly string[];
type Attributes = Readonly<Record<string, AttributeValue | null>>;

interface SpanDraft extends TimedSpan {
  name: string;
  kind: number;
  attributes: Attributes;
  events?: { name: string; timeNs: bigint; attributes: Attributes }[];
  errorMessage?: string | undefined;
}

export interface SpanIds {
  traceId(): string;
  spanId(): string;
}

/** The spans of one run: the agent's, and under it each model call and each tool call. */
export function spansOf(
  run: AgentRun,
  tools: readonly ToolDefinition[],
  ids: SpanIds,
): Record<string, unknown>[] {
  const traceId = ids.traceId();
  const rootId = ids.spanId();
  const children = run.events.map((event) =>
    event.kind === 'chat' ? chatSpan(event, run) : toolSpan(event),
  );
  return [
    { traceId, spanId: rootId, ...wireSpan(rootSpan(run, tools)) },
    ...children.map((child) => ({ traceId, spanId: ids.spanId(), parentSpanId: rootId, ...wireSpan(child) })),
  ];
}

/** The body of an OTLP/HTTP request. */
export function exportBody(spans: readonly Record<string, unknown>[]): string {
  const resource = { attributes: wireAttributes({ 'service.name': AGENT_NAME }) };
  return JSON.stringify({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: AGENT_NAME }, spans }] }],
  });
}

function rootSpan(run: AgentRun, tools: readonly ToolDefinition[]): SpanDraft {
  const failure = run.events.find((event) => event.kind === 'chat' && event.answer instanceof ModelError);
  const error = failure?.kind === 'chat' && failure.answer instanceof ModelError ? failure.answer : null;
  return {
    name: `invoke_agent ${AGENT_NAME}`,
    kind: KIND_INTERNAL,
    startNs: run.startNs,
    endNs: run.endNs,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': AGENT_NAME,
      'gen_ai.conversation.id': run.sessionId,
      'gen_ai.tool.definitions': JSON.stringify(
        tools.map((tool) => ({ type: 'function', ...tool.function })),
      ),
      'gen_ai.input.messages': messagesJson(run.task.messages),
      'gen_ai.output.messages': messagesJson(run.messages.slice(-1), finishOf(run)),
      'workplace.family': run.task.family,
      'workplace.task_id': run.task.id,
      'workplace.stop_reason': run.stopReason,
      'error.type': error?.type ?? null,
    },
    events: run.success === null ? [] : [judgement(run.success, run.endNs)],
    errorMessage: error?.message,
  };
}

function finishOf(run: AgentRun): string {
  return run.stopReason === 'model_error' ? 'error' : run.stopReason === 'length' ? 'length' : 'stop';
}

function judgement(success: boolean, timeNs: bigint): NonNullable<SpanDraft['events']>[number] {
  return {
    name: 'gen_ai.evaluation.result',
    timeNs,
    attributes: {
      'gen_ai.evaluation.name': 'outcome',
      'gen_ai.evaluation.score.value': success ? 1 : 0,
      'gen_ai.evaluation.score.label': success ? 'success' : 'failure',
    },
  };
}

function chatSpan(turn: ModelTurn, run: AgentRun): SpanDraft {
  const { answer } = turn;
  const answered = answer instanceof ModelError ? null : answer;
  return {
    name: 'chat default',
    kind: KIND_CLIENT,
    startNs: turn.startNs,
    endNs: turn.endNs,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.conversation.id': run.sessionId,
      'gen_ai.request.model': 'default',
      'gen_ai.response.model': answered?.model ?? null,
      'gen_ai.response.id': answered?.responseId ?? null,
      'gen_ai.response.finish_reasons': answered ? [answered.finishReason] : null,
      'gen_ai.usage.input_tokens': answered?.inputTokens ?? null,
      'gen_ai.usage.output_tokens': answered?.outputTokens ?? null,
      'gen_ai.input.messages': messagesJson(turn.input),
      'gen_ai.output.messages': answered
        ? messagesJson([answered.message], wireFinish(answered.finishReason))
        : null,
      'error.type': answer instanceof ModelError ? answer.type : null,
    },
    errorMessage: answer instanceof ModelError ? answer.message : undefined,
  };
}

/** OpenAI says `tool_calls`, the conventions `tool_call`. */
function wireFinish(reason: string): string {
  return reason === 'tool_calls' ? 'tool_call' : reason;
}

function toolSpan({ call, result, errorType, startNs, endNs }: ToolUse): SpanDraft {
  return {
    name: `execute_tool ${call.function.name}`,
    kind: KIND_INTERNAL,
    startNs,
    endNs,
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': call.function.name,
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': call.id,
      'gen_ai.tool.call.arguments': call.function.arguments,
      'gen_ai.tool.call.result': result,
      'error.type': errorType,
    },
    errorMessage: errorType === null ? undefined : result,
  };
}

/** Messages as parts. Arguments stay the model's own string: read as an object, what it got wrong would be lost. */
function messagesJson(messages: readonly ChatMessage[], finishReason?: string): string {
  return JSON.stringify(
    messages.map((message) => ({
      role: message.role,
      parts: partsOf(message),
      ...(message.role === 'assistant' && finishReason !== undefined && { finish_reason: finishReason }),
    })),
  );
}

function partsOf(message: ChatMessage): Record<string, unknown>[] {
  if (message.role === 'tool')
    return [{ type: 'tool_call_response', id: message.tool_call_id ?? '', response: message.content ?? '' }];
  const text = message.content === null ? [] : [{ type: 'text', content: message.content }];
  const calls = (message.tool_calls ?? []).map((call) => ({
    type: 'tool_call',
    id: call.id,
    ...call.function,
  }));
  return [...text, ...calls];
}

function wireSpan(span: SpanDraft): Record<string, unknown> {
  const { name, kind, errorMessage, events = [] } = span;
  return {
    name,
    kind,
    startTimeUnixNano: String(span.startNs),
    endTimeUnixNano: String(span.endNs),
    attributes: wireAttributes(span.attributes),
    events: events.map((event) => ({
      name: event.name,
      timeUnixNano: String(event.timeNs),
      attributes: wireAttributes(event.attributes),
    })),
    status: errorMessage === undefined ? {} : { code: STATUS_ERROR, message: errorMessage },
  };
}

function wireAttributes(attributes: Attributes): { key: string; value: unknown }[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === null ? [] : [{ key, value: wireValue(value) }],
  );
}

function wireValue(value: AttributeValue): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(value) };
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } };
}
