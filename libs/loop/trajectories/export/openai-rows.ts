/** A trajectory as a row for OpenAI's two APIs: chat messages as fine-tuning takes them, and items of the Responses API. */
import type { Trajectory } from '#contracts/trajectory';
import { definedOnly } from '../domain/json.js';
import { EXPORT_MEMBER, exportMemberOf } from '../formats/export-member.js';
import { chatMessagesOf, type ExportMessage } from './chat-messages.js';

type Row = Record<string, unknown>;

/** `{messages, tools}`. It cannot hold ids, models, times and tokens of single steps. */
export function chatRowOf(trajectory: Trajectory): Row {
  return {
    messages: chatMessagesOf(trajectory),
    ...(trajectory.tools.length > 0 ? { tools: trajectory.tools } : {}),
    [EXPORT_MEMBER]: exportMemberOf(trajectory),
  };
}

/**
 * `{request: {model, input, tools}, response: {id, output, usage}}`; what the model said last is the output. It cannot hold
 * ids, times and tokens of steps before the last.
 */
export function responsesRowOf(trajectory: Trajectory): Row {
  const messages = chatMessagesOf(trajectory);
  const answered = messages.at(-1)?.role === 'assistant';
  const items = messages.map((message, at) => itemsOf(message, { before: messages.slice(0, at) }));
  const last = answered ? trajectory.steps.at(-1) : undefined;
  return {
    request: definedOnly({
      model: last?.model,
      input: (answered ? items.slice(0, -1) : items).flat(),
      tools: trajectory.tools.map(({ type, function: described }) => ({ type, ...described })),
    }),
    response: definedOnly({
      id: last?.responseId,
      object: 'response',
      model: last?.responseModel,
      status: last?.finishReasons?.[0],
      output: answered ? (items.at(-1) ?? []) : [],
      usage: last?.usage === undefined ? undefined : usageOf(last.usage),
    }),
    [EXPORT_MEMBER]: exportMemberOf(trajectory),
  };
}

function itemsOf(message: ExportMessage, { before }: { before: readonly ExportMessage[] }): Row[] {
  const { role, content, tool_calls: calls = [], tool_call_id: callId, error } = message;
  if (role === 'tool') {
    const known = before.some((earlier) => earlier.tool_calls?.some(({ id }) => id === callId));
    const name = known ? undefined : message.name;
    return [definedOnly({ type: 'function_call_output', call_id: callId, output: content, name, error })];
  }
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  const said = definedOnly({
    type: 'message',
    role,
    content: content === null ? [] : [{ type, text: content }],
    name: message.name,
    error,
  });
  // Calls alone need no message before them, unless they would join the turn before or lose who speaks.
  const alone = calls.length > 0 && content === null && error === undefined && message.name === undefined;
  const head = alone && before.at(-1)?.role !== 'assistant' ? [] : [said];
  return [
    ...head,
    ...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
  ];
}

function usageOf(usage: NonNullable<Trajectory['steps'][number]['usage']>): Row {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    ...(typeof cacheReadTokens === 'number'
      ? { input_tokens_details: { cached_tokens: cacheReadTokens } }
      : {}),
    ...(typeof reasoningTokens === 'number'
      ? { output_tokens_details: { reasoning_tokens: reasoningTokens } }
      : {}),
  };
}
