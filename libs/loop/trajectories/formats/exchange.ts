/**
 * One exchange with a model's API, however it was kept: a log record `{request, response}` of JSON values, or a recording of
 * the HTTP exchange, whose bodies are text: JSON, or server-sent events, which are put together again.
 */
import { isObject, stringOf, unwrapJson } from '../domain/json.js';
import { foldEventStream } from './event-stream.js';

export type Fields = Record<string, unknown>;

export interface Exchange {
  request: Fields;
  /** Empty when nothing, or nothing readable, was answered. */
  response: Fields;
  /** Where a recorded HTTP request went. */
  uri?: string;
  /** What the API refused it with, in place of an answer. */
  error?: string;
}

/** undefined for a row that holds no request. */
export function exchangeOf(row: unknown): Exchange | undefined {
  if (!isObject(row) || !isObject(row['request'])) return undefined;
  const { request } = row;
  const response = isObject(row['response']) ? row['response'] : {};
  const uri = stringOf(request['uri'] ?? request['url']);
  if (!('body' in request) || uri === undefined) return { request, ...loggedAnswer(row['response']) };
  const sent = unwrapJson(bodyOf(request));
  const answered = answerOf(bodyOf(response));
  const error = errorOf(response['status'], answered);
  return {
    request: isObject(sent) ? sent : {},
    response: isObject(answered) ? answered : {},
    uri,
    ...(error === undefined ? {} : { error }),
  };
}

/** A log may keep a streamed answer as its text, and an error in place of an answer. */
function loggedAnswer(value: unknown): Pick<Exchange, 'response' | 'error'> {
  const answered = answerOf(value);
  if (!isObject(answered)) return { response: {} };
  const { error } = answered;
  if (!isObject(error)) return { response: answered };
  return { response: answered, error: stringOf(error['message']) ?? JSON.stringify(error) };
}

/** VCR keeps a body as text or as `{string: text}`. */
function bodyOf({ body }: Fields): unknown {
  return isObject(body) && 'string' in body ? body['string'] : body;
}

function answerOf(body: unknown): unknown {
  if (typeof body === 'string' && /^\s*(event|data):/.test(body)) return foldEventStream(body);
  return unwrapJson(body);
}

/** The status of a recording is a number or `{code, message}`. */
function errorOf(status: unknown, answered: unknown): string | undefined {
  const code = isObject(status) ? status['code'] : status;
  if (typeof code !== 'number' || code < 400) return undefined;
  const error = isObject(answered) && isObject(answered['error']) ? answered['error'] : {};
  return `HTTP ${code}: ${stringOf(error['message']) ?? 'no reason given'}`;
}
