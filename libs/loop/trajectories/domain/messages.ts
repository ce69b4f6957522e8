/**
 * Chat messages as attributes carry them: gen_ai parts (`[{role, parts:[…]}]`) and OpenAI's own shape
 * (`[{role, content, tool_calls}]`), which many exporters put under the same key.
 */
import { definedOnly, isObject, stringOf, textOf, unwrapJson } from './json.js';
import type { StepToolCall } from './contract.js';
import type { TurnMessage } from './span-facts.js';

/** Messages in their order; what is not a message is left out, an unreadable value gives none. */
export function messagesOf(value: unknown): TurnMessage[] {
  const list = unwrapJson(value);
  if (!Array.isArray(list)) return [];
  return list
    .map(unwrapJson)
    .filter(isObject)
    .flatMap((item) => (Array.isArray(item['parts']) ? fromParts(item, item['parts']) : [fromOpenAi(item)]));
}

/** `gen_ai.system_instructions`: a list of text parts, or plain text. */
export function systemMessagesOf(value: unknown): TurnMessage[] {
  const parsed = unwrapJson(value);
  const content = Array.isArray(parsed) ? textOfParts(parsed) : typeof value === 'string' ? value : null;
  return content === null ? [] : [{ role: 'system', content }];
}

export function roleOf(value: unknown): TurnMessage['role'] {
  switch (value) {
    case 'system':
    case 'developer':
      return 'system';
    case 'assistant':
    case 'model':
    case 'ai':
      return 'assistant';
    case 'tool':
    case 'function':
      return 'tool';
    default:
      return 'user';
  }
}

/** OpenAI chat message → message. `arguments` stays the source's string; an object source becomes equal JSON. */
export function fromOpenAi(message: Record<string, unknown>): TurnMessage {
  const toolCalls = openAiToolCalls(message);
  return definedOnly({
    role: roleOf(message['role']),
    content: contentOf(message['content']),
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    toolCallId: typeof message['tool_call_id'] === 'string' ? message['tool_call_id'] : undefined,
    name: stringOf(message['name']),
  });
}

function openAiToolCalls(message: Record<string, unknown>): StepToolCall[] {
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : [];
  const modern = calls.map((call) => {
    const called = isObject(call['function']) ? call['function'] : call;
    return {
      id: String(call['id'] ?? ''),
      name: String(called['name'] ?? ''),
      arguments: textOf(called['arguments']) ?? '',
    };
  });
  const legacy = message['function_call'];
  if (modern.length > 0 || !isObject(legacy)) return modern;
  return [{ id: '', name: String(legacy['name'] ?? ''), arguments: textOf(legacy['arguments']) ?? '' }];
}

function contentOf(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOfParts(content) : JSON.stringify(content);
}

/** Text of all text parts; null when there is none. Reasoning is the model's own and no part of the message. */
function textOfParts(parts: unknown[]): string | null {
  const texts = parts.flatMap((part) => {
    if (typeof part === 'string') return [part];
    if (!isObject(part) || part['type'] === 'reasoning') return [];
    const text = part['content'] ?? part['text'];
    return typeof text === 'string' ? [text] : [];
  });
  return texts.length > 0 ? texts.join('\n') : null;
}

/** A message of parts may answer several calls: each answer becomes its own tool message. */
function fromParts(message: Record<string, unknown>, parts: unknown[]): TurnMessage[] {
  const objects = parts.filter(isObject);
  const answers = objects.filter((part) => part['type'] === 'tool_call_response').map(answerOf);
  const toolCalls = objects.filter((part) => part['type'] === 'tool_call').map(toolCallOf);
  const content = textOfParts(
    objects.filter((part) => part['type'] === undefined || part['type'] === 'text'),
  );
  if (answers.length > 0 && content === null && toolCalls.length === 0) return answers;
  const own = definedOnly({
    role: roleOf(message['role']),
    content,
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    name: stringOf(message['name']),
  });
  return [...answers, own];
}

function toolCallOf(part: Record<string, unknown>): StepToolCall {
  return {
    id: String(part['id'] ?? ''),
    name: String(part['name'] ?? ''),
    arguments: textOf(part['arguments']) ?? '',
  };
}

/** The schema says `response`, the published example says `result`: both are met. */
function answerOf(part: Record<string, unknown>): TurnMessage {
  return definedOnly({
    role: 'tool' as const,
    content: textOf(part['response'] ?? part['result']) ?? null,
    toolCallId: typeof part['id'] === 'string' ? part['id'] : undefined,
    name: stringOf(part['name']),
  });
}
