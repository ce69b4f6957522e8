/** The events of GenAI conventions up to 1.36, wherever they stand: one event a message, `gen_ai.choice` an answer. */
import { isObject, stringOf, unwrapJson } from '../json.js';
import { roleOf } from '../messages.js';
import type { DialectFacts } from './dialect.js';
import { saidBy } from './payload.js';

export interface LegacyEvent {
  name: string;
  body: Record<string, unknown>;
}

const MESSAGE_EVENT = /^gen_ai\.(system|user|assistant|tool)\.message$/;

export function eventFacts(events: readonly LegacyEvent[]): DialectFacts {
  const input = events.flatMap(({ name, body }) => {
    const speaker = MESSAGE_EVENT.exec(name)?.[1];
    return speaker === undefined ? [] : messageOf(body, speaker);
  });
  const choices = events.filter(({ name }) => name === 'gen_ai.choice').map(({ body }) => body);
  return {
    input,
    output: choices.flatMap((choice) => {
      const message = unwrapJson(choice['message']);
      return messageOf(isObject(message) ? message : choice, 'assistant');
    }),
    finishReasons: choices.flatMap((choice) => stringOf(choice['finish_reason']) ?? []),
  };
}

/** A tool's message names its call `id`. Span events hold lists as JSON text. */
function messageOf(body: Record<string, unknown>, speaker: string): DialectFacts['input'] & object {
  const role = roleOf(speaker);
  const content = unwrapJson(body['content']);
  return saidBy(role, {
    ...body,
    role,
    content: Array.isArray(content) || typeof content === 'string' ? content : (body['content'] ?? null),
    tool_calls: unwrapJson(body['tool_calls']),
    tool_call_id: body['tool_call_id'] ?? body['id'],
  });
}
