/**
 * Items of OpenAI's Responses API → turns. What the model says between two things that others say is one turn: its message
 * and the calls after it. A message or a reasoning item begins the next turn, since each stands first in an answer.
 */
import { definedOnly, isObject, labelOf, stringOf, textOf } from '../domain/json.js';
import { turnsOf } from '../domain/messages.js';
import type { RecordedTurn } from './chat-steps.js';
import type { Fields } from './exchange.js';

/** Plain text is one message of the user. */
export function turnsOfItems(input: unknown, firstIndex = 0): RecordedTurn[] {
  const items = Array.isArray(input) ? input : input === undefined || input === '' ? [] : [input];
  const turns: RecordedTurn[] = [];
  let open = false;
  for (const [at, item] of items.entries()) {
    const sourceIndex = firstIndex + at;
    if (typeof item === 'string') turns.push(said({ role: 'user', content: item }, sourceIndex));
    if (!isObject(item)) continue;
    const type = labelOf(item['type']);
    if (type === 'reasoning') {
      open = false;
    } else if (type.endsWith('_call_output')) {
      turns.push(resultOf(item, sourceIndex));
      open = false;
    } else if (type.endsWith('_call')) {
      addCall(turns, item, { open, sourceIndex });
      open = !('output' in item);
      if (!open) turns.push(resultOf(item, sourceIndex));
    } else if ('role' in item || type === 'message') {
      for (const message of turnsOf({ ...item, role: item['role'] ?? 'assistant' }, 'user'))
        turns.push({ message, error: errorOf(item), sourceIndex });
      open = turns.at(-1)?.message.role === 'assistant';
    }
  }
  return turns;
}

function said(message: RecordedTurn['message'], sourceIndex: number): RecordedTurn {
  return { message, sourceIndex };
}

/** `function_call`, `mcp_call`, `custom_tool_call`; the API's own tools (`web_search_call`, …) have a type for a name. */
function addCall(turns: RecordedTurn[], item: Fields, at: { open: boolean; sourceIndex: number }): void {
  const call = {
    id: labelOf(item['call_id'] ?? item['id']),
    name: labelOf(item['name'] ?? labelOf(item['type']).replace(/_call$/, '')),
    arguments: textOf(ARGUMENTS.map((key) => item[key]).find((value) => value !== undefined)) ?? '',
  };
  const last = turns.at(-1)?.message;
  if (at.open && last?.role === 'assistant') last.toolCalls = [...(last.toolCalls ?? []), call];
  else turns.push(said({ role: 'assistant', content: null, toolCalls: [call] }, at.sourceIndex));
}

const ARGUMENTS = ['arguments', 'input', 'action', 'code', 'queries'];

function resultOf(item: Fields, sourceIndex: number): RecordedTurn {
  const { output } = item;
  const [answer] = turnsOf({ role: 'tool', content: Array.isArray(output) ? output : null }, 'tool');
  const content = Array.isArray(output) ? (answer?.content ?? textOf(output)) : textOf(output ?? undefined);
  const isCall = labelOf(item['type']).endsWith('_call');
  const message = definedOnly({
    role: 'tool' as const,
    content: content ?? null,
    toolCallId: 'call_id' in item ? labelOf(item['call_id']) : isCall ? labelOf(item['id']) : undefined,
    name: isCall ? undefined : stringOf(item['name']),
  });
  return { message, error: errorOf(item), sourceIndex };
}

function errorOf({ error }: Fields): string | undefined {
  return error === undefined || error === null ? undefined : labelOf(error);
}
