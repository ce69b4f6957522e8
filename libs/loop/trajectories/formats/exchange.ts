/**
 * One exchange with a model's API, however it was kept: a log record `{request, response}` of JSON values, or a recording of
 * the HTTP exchange, whose bodies are text (JSON, or server-sent events, which are put together again).
 */
import { isObject, stringOf, unwrapJson } from '../domain/json.js';
import { anthropicFromEvents } from './events-anthropic.js';
import { chatFromEvents } from './events-openai.js';

type Row = Record<string, unknown>;

export interface Exchange {
  request: Row;
  /** Empty when nothing, or nothing readable, was answered. */
  response: Row;
  /** Path of the API where the recording tells it. */
  path: string | undefined;
  /** What the API refused it with. */
  error: string | undefined;
}

/** undefined for a row that holds no request. */
export function exchangeOf(row: unknown): Exchange | undefined {
  if (!isObject(row) || !isObject(row['request'])) return undefined;
  const { request } = row;
  const response = isObject(row['response']) ? row['response'] : {};
  if (!('body' in request) || !('uri' in request || 'url' in request))
    return { request, response, path: undefined, error: undefined };
  const sent = unwrapJson(request['body']);
  const status = isObject(response['status']) ? response['status']['code'] : response['status'];
  const answered = answerOf(response);
  return {
    request: isObject(sent) ? sent : {},
    response: isObject(answered) ? answered : {},
    path: pathOf(stringOf(request['uri'] ?? request['url'])),
    error: typeof status === 'number' && status >= 400 ? errorOf(status, answered) : undefined,
  };
}

function pathOf(uri: string | undefined): string | undefined {
  return uri === undefined || !URL.canParse(uri) ? uri : new URL(uri).pathname;
}

function answerOf(response: Row): unknown {
  const { body } = response;
  if (typeof body !== 'string' || !/^\s*(event|data):/.test(body)) return unwrapJson(body);
  const events = eventsOf(body);
  return events.some((event) => event['type'] === 'message_start')
    ? anthropicFromEvents(events)
    : chatFromEvents(events);
}

/** The data of each server-sent event that is a JSON object (WHATWG HTML, "Server-sent events"). */
function eventsOf(text: string): Row[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trim())
        .join('\n'),
    )
    .map(unwrapJson)
    .filter(isObject);
}

function errorOf(status: number, answered: unknown): string {
  const error = isObject(answered) && isObject(answered['error']) ? answered['error'] : {};
  return `HTTP ${status}: ${stringOf(error['message']) ?? 'no reason given'}`;
}
