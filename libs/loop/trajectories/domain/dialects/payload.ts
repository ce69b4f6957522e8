/**
 * What a model was sent and what it answered, as tracers dump them whole: requests and answers of OpenAI (chat and
 * Responses), Anthropic and Google, LangChain's serialised messages, lists of messages, plain text.
 */
import { isObject, labelOf, stringOf, textOf, unwrapJson } from '../json.js';
import { toolCallOf } from '../message-parts.js';
import { roleOf, systemMessagesOf, turnsOf } from '../messages.js';
import type { TurnMessage } from '../span-facts.js';
import { toolDefinitionOf, toolDefinitionsOf } from '../tool-definitions.js';
import type { DialectFacts } from './dialect.js';

type Fields = Record<string, unknown>;
type Role = TurnMessage['role'];

/** `input`, `tools` and `model` of a request; anything that is no request is the user's text. */
export function requestFacts(value: unknown): DialectFacts {
  const request = unwrapJson(value);
  if (!isObject(request)) return { input: saidBy('user', value) };
  const config = isObject(request['config']) ? request['config'] : {};
  const list = firstOf(request, ['messages', 'contents', 'input', 'inputs', 'items', 'prompt']);
  const system = firstOf({ ...config, ...request }, ['system', 'instructions', 'system_instruction']);
  const input =
    list === undefined && !isMessage(request) ? saidBy('user', value) : saidBy('user', list ?? request);
  return {
    input: [...systemMessagesOf(system), ...input],
    tools: toolsOf(request['tools'] ?? config['tools'] ?? request['functions']),
    model: stringOf(request['model']),
  };
}

/** `output` and what an answer says of itself; anything that is no answer is the assistant's text. */
export function answerFacts(value: unknown): DialectFacts {
  const answer = unwrapJson(value);
  if (!isObject(answer)) return { output: saidBy('assistant', value) };
  const choices = listOf(answer['choices'] ?? answer['candidates'] ?? answer['generations']).flat();
  const said = choices.length > 0 ? choices.filter(isObject).map(spokenOf) : spokenList(answer);
  const reasons = [answer, ...choices.filter(isObject)].flatMap(
    (at) => stringOf(firstOf(at, ['finish_reason', 'finishReason', 'stop_reason'])) ?? [],
  );
  return {
    output: said === undefined ? saidBy('assistant', value) : saidBy('assistant', said),
    finishReasons: reasons,
    responseModel: stringOf(answer['model']),
    responseId: 'choices' in answer || 'stop_reason' in answer ? stringOf(answer['id']) : undefined,
  };
}

/** Of one choice: its message, Google's content, or LangChain's generation. */
function spokenOf(choice: Fields): unknown {
  return choice['message'] ?? choice['content'] ?? choice;
}

function spokenList(answer: Fields): unknown {
  if (isMessage(answer))
    return Array.isArray(answer['content']) || isText(answer['content']) ? answer : answer['content'];
  return firstOf(answer, ['messages', 'output', 'outputs', 'text', 'message']);
}

/** The messages of a value: text, one message, or a list, also LangChain's list of lists. */
export function saidBy(speaker: Role, value: unknown): TurnMessage[] {
  const parsed = unwrapJson(value);
  if (Array.isArray(parsed)) return conversationOf(parsed.flat().map(unwrapJson), speaker);
  if (isObject(parsed) && isMessage(parsed)) return conversationOf([parsed], speaker);
  const content = typeof parsed === 'string' ? parsed : textOf(value);
  return content === undefined || content === '' || content === 'null' ? [] : [{ role: speaker, content }];
}

function conversationOf(items: readonly unknown[], speaker: Role): TurnMessage[] {
  const turns: TurnMessage[] = [];
  for (const item of items) {
    const message = isObject(item) ? unserialised(item) : undefined;
    if (typeof item === 'string') turns.push({ role: speaker, content: item });
    else if (message?.['type'] === 'function_call') addCall(turns, message);
    else if (message !== undefined) turns.push(...itemTurns(message, speaker));
  }
  return turns;
}

/** Parallel calls stand as items one after the other: they are one message. */
function addCall(turns: TurnMessage[], item: Fields): void {
  const call = toolCallOf({ ...item, id: item['call_id'] ?? item['id'] });
  const last = turns.at(-1);
  if (last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call];
  else turns.push({ role: 'assistant', content: null, toolCalls: [call] });
}

function itemTurns(item: Fields, speaker: Role): TurnMessage[] {
  if (item['type'] === 'function_call_output')
    return [{ role: 'tool', content: textOf(item['output']) ?? null, toolCallId: labelOf(item['call_id']) }];
  if (!isMessage(item)) return [];
  return turnsOf(item['type'] === 'message' ? { ...item, role: item['role'] ?? speaker } : item, speaker);
}

/** LangChain's `{lc, type: "constructor", id: [.., "AIMessage"], kwargs}` holds the message in `kwargs`. */
function unserialised(item: Fields): Fields {
  const { kwargs, id } = item;
  if (!isObject(kwargs)) return item;
  const className = Array.isArray(id) ? labelOf(id.at(-1)) : '';
  return {
    ...kwargs,
    role: roleOf(kwargs['type'] ?? className.replace(/Message(Chunk)?$/, '').toLowerCase()),
  };
}

function isMessage(value: Fields): boolean {
  return (
    'parts' in value ||
    'content' in value ||
    'tool_calls' in value ||
    (isObject(value['kwargs']) && 'lc' in value)
  );
}

/** Google groups its tools: `[{function_declarations: […]}]`. */
function toolsOf(value: unknown): DialectFacts['tools'] {
  const list = unwrapJson(value);
  if (!Array.isArray(list)) return [];
  return list.flatMap((item) => {
    const group = isObject(item)
      ? (item['function_declarations'] ?? item['functionDeclarations'])
      : undefined;
    return group === undefined ? toolDefinitionOf(item) : toolDefinitionsOf(group);
  });
}

/** Arguments of a tool, out of the wrappers that decorators and LangChain put around them. */
export function toolArguments(value: unknown): string | undefined {
  const parsed = unwrapJson(value);
  if (!isObject(parsed)) return textOf(value);
  const { args, kwargs, inputs } = parsed;
  if (isObject(kwargs) && listOf(args).length === 0 && Object.keys(parsed).length <= 2) return textOf(kwargs);
  return isObject(inputs) && 'input_str' in parsed ? textOf(inputs) : textOf(value);
}

/** Result of a tool, so that it equals what the next prompt repeats: JSON text of a string is that string. */
export function toolResult(value: unknown): string | undefined {
  const parsed = unwrapJson(value);
  if (typeof parsed === 'string') return parsed;
  if (!isObject(parsed)) return textOf(value);
  const { output } = parsed;
  const message = unserialised(isObject(output) ? output : parsed);
  if (typeof message['content'] === 'string' && roleOf(message['role'] ?? message['type']) === 'tool')
    return message['content'];
  return typeof output === 'string' ? output : textOf(value);
}

function firstOf(from: Fields, keys: readonly string[]): unknown {
  return keys.map((key) => from[key]).find((value) => value !== undefined && value !== null);
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === null;
}
