/** Reading requests and writing answers of the policy server, errors in OpenAI's shape. */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

import type { z } from 'zod';

import { AppError, HTTP_STATUS, type ErrorCode } from '#kernel/errors';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = 1;

const ERROR_TYPES: Partial<Record<ErrorCode, string>> = {
  'request.unauthorized': 'authentication_error',
  'resource.not_found': 'not_found_error',
  'policy.unavailable': 'overloaded_error',
  internal: 'internal_error',
};

/** @throws AppError `request.unauthorized` */
export function requireKey(request: IncomingMessage, key: string): void {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${key}`);
  if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
    throw new AppError('request.unauthorized', { public: 'The key is missing or wrong.' });
}

/** The body, checked. @throws AppError `request.invalid` naming the first field that does not fit, `request.too_large` */
export async function readBody<S extends z.ZodType>(
  request: IncomingMessage,
  schema: S,
): Promise<z.output<S>> {
  const parsed = schema.safeParse(parseJson(await readText(request)));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path.join('.') ?? '';
  throw new AppError('request.invalid', {
    public: param === '' ? (issue?.message ?? 'invalid body') : `${param}: ${issue?.message}`,
    detail: { param },
  });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES)
      throw new AppError('request.too_large', { public: 'The body is larger than 4 MiB.' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError('request.invalid', { public: 'The body is not JSON.', cause });
  }
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

export function sendError(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) return;
  const known =
    error instanceof AppError ? error : new AppError('internal', { public: 'Something went wrong.' });
  const status = HTTP_STATUS[known.code];
  if (status === 503) response.setHeader('retry-after', RETRY_AFTER_S);
  // What is left of a body that was not read must not be taken for the next request.
  if (status === 413) response.setHeader('connection', 'close');
  sendJson(response, status, {
    error: {
      message: known.publicMessage,
      type: ERROR_TYPES[known.code] ?? 'invalid_request_error',
      param: known.detail['param'] ?? null,
      code: known.code,
    },
  });
}
