import { randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';

import { EngineError, engineErrorFrom } from './engine-error.js';
import type { EngineLane, Statement, StatementResult } from './engine-lane.js';

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

const MAX_BODY_BYTES = 256 * 1024 * 1024;
/** Parameters travel in the URL, as with a server's `http_max_uri_size` of 1 MiB. */
const MAX_HEADER_BYTES = 1_100_000;
/** Longer than the client keeps an idle socket, so that the server never closes one that is about to be used. */
const KEEP_ALIVE_MS = 30_000;

/** URL parameters of the HTTP interface that are no settings. Query log and sessions do not exist here. */
const NOT_SETTINGS = new Set([
  'query', 'query_id', 'database', 'default_format', 'user', 'password', 'role', 'quota_key', 'stacktrace', 'compress',
  'decompress', 'wait_end_of_query', 'buffer_size', 'client_protocol_version', 'enable_http_compression', 'log_comment',
  'session_id', 'session_timeout', 'session_check', 'send_progress_in_http_headers', 'http_headers_progress_interval_ms',
]); // prettier-ignore

export interface EngineServerOptions {
  user: string;
  password: string;
  version: string;
  /** Plain INSERTs have a lane of their own, so that a long read does not hold up ingestion. */
  writes: EngineLane;
  /** All else; parameters are bound here only, since the engine binds them for the whole process. */
  reads: EngineLane;
}

/** ClickHouse's HTTP interface, as far as its official client speaks it, before an engine in this process. */
export function createEngineServer(options: EngineServerOptions): Server {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    void answer(options, request, response);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = 0;
  return server;
}

async function answer(
  options: EngineServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const url = new URL(request.url ?? '/', 'http://engine');
    if (url.pathname === '/ping') return await send(request, response, { body: Buffer.from('Ok.\n'), url });
    authenticate(options, request, url);
    const statement = await readStatement(request, url);
    const lane = isPlainInsert(statement) ? options.writes : options.reads;
    const result = await lane.run(statement, () => !response.destroyed);
    if (result === undefined) return;
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summaryOf(result)));
    response.setHeader('X-ClickHouse-Format', statement.format);
    await send(request, response, { body: Buffer.from(result.bytes), url });
  } catch (error) {
    sendError(options, request, response, engineErrorFrom(error));
  }
}

function authenticate(options: EngineServerOptions, request: IncomingMessage, url: URL): void {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const [basicUser, ...basicRest] =
    basic === undefined ? [] : Buffer.from(basic, 'base64').toString('utf8').split(':');
  const user = header(request, 'x-clickhouse-user') ?? basicUser ?? url.searchParams.get('user') ?? '';
  const password =
    header(request, 'x-clickhouse-key') ??
    (basic === undefined ? (url.searchParams.get('password') ?? '') : basicRest.join(':'));
  if (user === options.user && sameSecret(password, options.password)) return;
  throw new EngineError(
    516,
    `${user}: Authentication failed: password is incorrect, or there is no such user`,
    'AUTHENTICATION_FAILED',
  );
}

function sameSecret(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

async function readStatement(request: IncomingMessage, url: URL): Promise<Statement> {
  const body = await readBody(request);
  const query = url.searchParams.get('query');
  const settings = new Map<string, string>();
  const params = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (name.startsWith('param_')) params.set(name.slice('param_'.length), value);
    else if (!NOT_SETTINGS.has(name)) settings.set(name, value);
  }
  // With a query in the URL the body is its data; a query split over both is joined, as a server does.
  const hasData = query !== null && /^\s*INSERT\b/i.test(query);
  const sql = hasData ? query : `${query ?? ''}${body.toString('utf8')}`;
  if (sql.trim() === '') throw new EngineError(62, 'Empty query', 'SYNTAX_ERROR');
  return {
    sql,
    ...(hasData ? { data: body } : {}),
    format:
      header(request, 'x-clickhouse-format') ?? url.searchParams.get('default_format') ?? 'TabSeparated',
    database: header(request, 'x-clickhouse-database') ?? url.searchParams.get('database') ?? 'default',
    settings,
    params,
  };
}

function isPlainInsert(statement: Statement): boolean {
  return statement.params.size === 0 && /^\s*INSERT\b/i.test(statement.sql);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES)
      throw new EngineError(307, 'The request body is larger than 256 MiB', 'TOO_MANY_BYTES');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const encoding = header(request, 'content-encoding') ?? 'identity';
  if (encoding === 'identity') return body;
  if (encoding === 'gzip') return gunzipAsync(body, { maxOutputLength: MAX_BODY_BYTES });
  throw new EngineError(
    48,
    `Content-Encoding ${encoding} is not supported here; use gzip`,
    'NOT_IMPLEMENTED',
  );
}

function summaryOf(result: StatementResult): Record<string, string> {
  return {
    read_rows: String(result.readRows),
    read_bytes: String(result.readBytes),
    written_rows: String(result.writtenRows),
    written_bytes: String(result.writtenBytes),
    total_rows_to_read: '0',
    result_rows: String(result.writtenRows),
    result_bytes: String(result.bytes.length),
    elapsed_ns: String(result.elapsedNs),
  };
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { body, url }: { body: Buffer; url: URL },
): Promise<void> {
  response.setHeader('X-ClickHouse-Query-Id', url.searchParams.get('query_id') ?? randomUUID());
  response.setHeader('X-ClickHouse-Timezone', 'UTC');
  const wantsGzip =
    url.searchParams.get('enable_http_compression') === '1' &&
    (header(request, 'accept-encoding') ?? '').includes('gzip');
  const payload = wantsGzip && body.length > 0 ? await gzipAsync(body) : body;
  if (wantsGzip && body.length > 0) response.setHeader('Content-Encoding', 'gzip');
  response.setHeader('Content-Length', payload.length);
  response.end(payload);
}

function sendError(
  options: EngineServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  error: EngineError,
): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = error.status;
  response.setHeader('X-ClickHouse-Exception-Code', String(error.clickhouseCode));
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.end(error.toBody(options.version));
  // A body that was refused half-read would be taken for the next request on this connection.
  if (!request.complete) response.once('finish', () => request.destroy());
}
