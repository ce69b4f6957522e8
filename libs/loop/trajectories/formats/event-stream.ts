/** A recorded stream of server-sent events → the answer that it told: OpenAI's chat and Responses APIs, Anthropic's messages. */
import { isObject, without } from '../domain/json.js';

type Fields = Record<string, unknown>;

/** The whole answer in the shape of one that was not streamed; undefined when the text is no such stream. */
export function foldEventStream(text: string): Fields | undefined {
  const events = eventsOf(text);
  const whole = events.findLast((event) => /^response\.(completed|incomplete|failed)$/.test(typeOf(event)));
  if (isObject(whole?.['response'])) return whole['response'];
  if (events.some((event) => typeOf(event) === 'message_start')) return foldAnthropic(events);
  return events.some((event) => Array.isArray(event['choices'])) ? foldChat(events) : undefined;
}

function eventsOf(text: string): Fields[] {
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('data:')) return [];
    try {
      const event = JSON.parse(line.slice(5)) as unknown;
      return isObject(event) ? [event] : [];
    } catch {
      return [];
    }
  });
}

function typeOf(event: Fields): string {
  return typeof event['type'] === 'string' ? event['type'] : '';
}

/** Texts grow, anything else is replaced: how deltas of all APIs are put together. */
function grow(into: Fields, delta: Fields, growing: readonly string[]): void {
  for (const [key, value] of Object.entries(delta)) {
    const before = into[key];
    if (typeof value === 'string' && growing.includes(key))
      into[key] = (typeof before === 'string' ? before : '') + value;
    else if (value !== null || !(key in into)) into[key] = value;
  }
}

function foldChat(events: readonly Fields[]): Fields {
  const answer: Fields = {};
  const message: Fields = { role: 'assistant', content: null };
  const calls = new Map<unknown, Fields>();
  let finishReason: unknown = null;
  for (const event of events) {
    grow(answer, without(event, 'choices'), []);
    const choice: unknown = Array.isArray(event['choices']) ? event['choices'][0] : undefined;
    if (!isObject(choice)) continue;
    finishReason = choice['finish_reason'] ?? finishReason;
    if (!isObject(choice['delta'])) continue;
    const { tool_calls, function_call, ...said } = choice['delta'];
    grow(message, said, ['content', 'refusal']);
    if (isObject(function_call)) growCall(message, 'function_call', function_call);
    for (const delta of Array.isArray(tool_calls) ? tool_calls.filter(isObject) : []) {
      const call = calls.get(delta['index']) ?? {};
      calls.set(delta['index'], call);
      grow(call, without(delta, 'function', 'index'), []);
      if (isObject(delta['function'])) growCall(call, 'function', delta['function']);
    }
  }
  if (calls.size > 0) message['tool_calls'] = [...calls.values()];
  return { ...answer, choices: [{ index: 0, message, finish_reason: finishReason }] };
}

function growCall(into: Fields, key: string, delta: Fields): void {
  const call = isObject(into[key]) ? into[key] : {};
  grow(call, delta, ['name', 'arguments']);
  into[key] = call;
}

function foldAnthropic(events: readonly Fields[]): Fields {
  let answer: Fields = {};
  const blocks = new Map<unknown, Fields>();
  for (const event of events) {
    const delta = isObject(event['delta']) ? event['delta'] : {};
    if (typeOf(event) === 'message_start' && isObject(event['message'])) answer = { ...event['message'] };
    else if (typeOf(event) === 'content_block_start' && isObject(event['content_block']))
      blocks.set(event['index'], { ...event['content_block'] });
    else if (typeOf(event) === 'content_block_delta') growBlock(blocks.get(event['index']), delta);
    else if (typeOf(event) === 'message_delta') {
      grow(answer, delta, []);
      if (isObject(event['usage'])) answer['usage'] = { ...usageIn(answer), ...event['usage'] };
    }
  }
  return { ...answer, content: [...blocks.values()] };
}

function usageIn(answer: Fields): Fields {
  return isObject(answer['usage']) ? answer['usage'] : {};
}

/** The input of a tool comes as pieces of JSON text, which stays text: the model's own. */
function growBlock(block: Fields | undefined, delta: Fields): void {
  if (block === undefined) return;
  const { partial_json: json } = delta;
  if (typeof json === 'string')
    block['input'] = (typeof block['input'] === 'string' ? block['input'] : '') + json;
  else grow(block, without(delta, 'type'), ['text', 'thinking', 'signature']);
}
