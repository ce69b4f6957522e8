/**
 * Chat messages as attributes carry them: gen_ai parts (`[{role, parts:[…]}]`), OpenAI's own shape
 * (`[{role, content, tool_calls}]`), which many exporters put under the same key, and a content of parts of any API.
 */
import { definedOnly, isObject, labelOf, stringOf, textOf, unwrapJson } from './json.js';
import type { StepToolCall } from './contract.js';
import { readParts, toolCallOf } from './message-parts.js';
import type { TurnMessage } from './span-facts.js';

/**
 * Messages in their order; what is not a message is left out, an unreadable value gives none. One message may stand
 * without a list. `speaker` is the role of a message that names none.
 */
export function messagesOf(value: unknown, speaker: TurnMessage['role'] = 'user'): TurnMessage[] {
  const parsed = unwrapJson(value);
  const list = Array.isArray(parsed) ? parsed : [parsed];
  return list
    .map(unwrapJson)
    .filter(isObject)
    .flatMap((item) => turnsOf(item, speaker));
}

/** One message; its answers to calls come before it, each as a message of its own. */
export function turnsOf(message: Record<string, unknown>, speaker: TurnMessage['role']): TurnMessage[] {
  const parts = [message['parts'], message['content']].find(Array.isArray) as unknown[] | undefined;
  const said = message['role'] ?? message['type'];
  const role = said === undefined ? speaker : roleOf(said);
  const own = fromOpenAi({ ...message, role });
  if (parts === undefined || role === 'tool')
    return [parts === undefined ? own : toolTurn(own, parts)].flat();
  const { content, toolCalls, answers } = readParts(parts);
  if (answers.length > 0 && content === null && toolCalls.length === 0) return answers;
  return [...answers, definedOnly({ ...own, content, toolCalls: own.toolCalls ?? nonEmpty(toolCalls) })];
}

/** A tool's message holds its answers as parts (gen_ai, AI SDK), or is the answer and its parts are text (OpenAI). */
function toolTurn(own: TurnMessage, parts: readonly unknown[]): TurnMessage[] {
  const { content, answers } = readParts(parts);
  if (answers.length === 0) return [{ ...own, content }];
  return content === null ? answers : [...answers, { ...own, content }];
}

/** `gen_ai.system_instructions`: a list of text parts, or plain text, also as a JSON string. */
export function systemMessagesOf(value: unknown): TurnMessage[] {
  const parsed = unwrapJson(value);
  const text = typeof parsed === 'string' ? parsed : typeof value === 'string' ? value : null;
  const parts = isObject(parsed) && Array.isArray(parsed['parts']) ? (parsed['parts'] as unknown[]) : parsed;
  const content = Array.isArray(parts) ? readParts(parts).content : text;
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
    case 'AIMessageChunk':
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
  return definedOnly({
    role: roleOf(message['role']),
    content: contentOf(message['content']),
    toolCalls: nonEmpty(openAiToolCalls(message)),
    toolCallId: typeof message['tool_call_id'] === 'string' ? message['tool_call_id'] : undefined,
    name: stringOf(message['name']),
  });
}

function openAiToolCalls(message: Record<string, unknown>): StepToolCall[] {
  const calls = Array.isArray(message['tool_calls']) ? message['tool_calls'].filter(isObject) : [];
  const legacy = message['function_call'];
  if (calls.length > 0 || !isObject(legacy)) return calls.map(toolCallOf);
  return [{ id: '', name: labelOf(legacy['name']), arguments: textOf(legacy['arguments']) ?? '' }];
}

function contentOf(content: unknown): string | null {
  if (content === null || content === undefined) return null;
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? readParts(content).content : JSON.stringify(content);
}

function nonEmpty<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
