/**
 * One part of a message's content, in the spelling of any model API: gen_ai (`tool_call`, `tool_call_response`), Anthropic
 * (`tool_use`, `tool_result`), the AI SDK (`tool-call`, `tool-result`), Google (`functionCall`, `function_response`), OpenAI.
 */
import { definedOnly, isObject, labelOf, stringOf, textOf } from './json.js';
import type { StepToolCall } from './contract.js';
import type { TurnMessage } from './span-facts.js';

export interface ReadParts {
  /** All text, joined by line breaks; null when there is none. Reasoning is the model's own and no part of it. */
  content: string | null;
  toolCalls: StepToolCall[];
  /** Each answer to a call is a tool message of its own. */
  answers: TurnMessage[];
}

export function readParts(parts: readonly unknown[]): ReadParts {
  const texts = parts.flatMap(textsOf);
  return {
    content: texts.length > 0 ? texts.join('\n') : null,
    toolCalls: parts.flatMap((part) => (isObject(part) ? callsOf(part) : [])),
    answers: parts.flatMap((part) => (isObject(part) ? answersOf(part) : [])),
  };
}

/** A `blob` part also has a `content`: only these hold text. */
const TEXT_TYPES: ReadonlySet<unknown> = new Set([undefined, 'text', 'input_text', 'output_text']);

function textsOf(part: unknown): string[] {
  if (typeof part === 'string') return [part];
  if (!isObject(part) || !TEXT_TYPES.has(part['type']) || part['thought'] === true) return [];
  const text = part['content'] ?? part['text'];
  return typeof text === 'string' ? [text] : [];
}

const CALL_TYPES: ReadonlySet<unknown> = new Set(['tool_call', 'tool-call', 'tool_use']);

function callsOf(part: Record<string, unknown>): StepToolCall[] {
  const called = part['functionCall'] ?? part['function_call'] ?? part['toolUse'];
  if (isObject(called)) return [toolCallOf(called)];
  return CALL_TYPES.has(part['type']) ? [toolCallOf(part)] : [];
}

/** A call in any spelling. `arguments` stays the source's string; an object source becomes equal JSON. */
export function toolCallOf(call: Record<string, unknown>): StepToolCall {
  const called = isObject(call['function']) ? call['function'] : call;
  return {
    id: labelOf(call['id'] ?? call['toolCallId'] ?? call['call_id'] ?? call['toolUseId']),
    name: labelOf(called['name'] ?? call['toolName']),
    arguments: textOf(called['arguments'] ?? called['input'] ?? called['args']) ?? '',
  };
}

const ANSWER_TYPES: ReadonlySet<unknown> = new Set(['tool_call_response', 'tool-result', 'tool_result']);

function answersOf(part: Record<string, unknown>): TurnMessage[] {
  const answered = part['functionResponse'] ?? part['function_response'] ?? part['toolResult'];
  if (isObject(answered)) return [answerOf(answered)];
  return ANSWER_TYPES.has(part['type']) ? [answerOf(part)] : [];
}

/** gen_ai's schema says `response`, its published example says `result`: both are met. */
function answerOf(part: Record<string, unknown>): TurnMessage {
  const id = part['id'] ?? part['tool_use_id'] ?? part['toolCallId'] ?? part['toolUseId'];
  return definedOnly({
    role: 'tool' as const,
    content: answerText(part['response'] ?? part['result'] ?? part['output'] ?? part['content']) ?? null,
    toolCallId: typeof id === 'string' ? id : undefined,
    name: stringOf(part['name'] ?? part['toolName']),
  });
}

/** Text as it is, the text of a list of parts, the value of the AI SDK's `{type, value}`; anything else as JSON. */
function answerText(answer: unknown): string | undefined {
  if (Array.isArray(answer)) return readParts(answer).content ?? textOf(answer);
  if (isObject(answer) && typeof answer['type'] === 'string' && 'value' in answer)
    return answerText(answer['value']);
  return textOf(answer);
}
