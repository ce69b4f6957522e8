import { lookup as dnsLookup } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';

import { AppError, messageOf } from '#kernel/errors';

import { addressKind, type AddressKind } from './address.js';

export interface GuardedFetchOptions {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
  /** Kinds of address that may be reached. Embedded parts talk over loopback only, the default. */
  allow?: readonly AddressKind[];
  timeoutMs?: number;
  /** A longer answer is an error. */
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface GuardedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * One HTTP request to an address of an allowed kind. The address that is judged is the one that is connected to (a name is
 * resolved once, and every address it has is judged), and redirects are answers, not orders.
 * @throws AppError `request.invalid` for a scheme or address that is not allowed, `store.unavailable` when nobody answers.
 */
export async function guardedFetch(
  url: string | URL,
  options: GuardedFetchOptions = {},
): Promise<GuardedResponse> {
  const target = parseTarget(url);
  const allow = options.allow ?? ['loopback'];
  const host = target.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) assertAllowed(host, allow);
  return send(target, options, guardedLookup(allow));
}

function parseTarget(url: string | URL): URL {
  const target = URL.canParse(String(url)) ? new URL(url) : undefined;
  if (target === undefined || (target.protocol !== 'http:' && target.protocol !== 'https:')) {
    throw new AppError('request.invalid', {
      public: 'Only http and https addresses can be reached.',
      detail: { url: String(url) },
    });
  }
  if (target.username !== '' || target.password !== '') {
    throw new AppError('request.invalid', { public: 'An address must not hold a user name or password.' });
  }
  return target;
}

function assertAllowed(address: string, allow: readonly AddressKind[]): void {
  const kind = addressKind(address);
  if (kind !== 'forbidden' && allow.includes(kind)) return;
  throw new AppError('request.invalid', {
    public: `The address ${address} (${kind}) must not be reached from here; allowed: ${allow.join(', ')}.`,
  });
}

function guardedLookup(allow: readonly AddressKind[]): LookupFunction {
  return (hostname, options, callback) => {
    dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '', 0);
      try {
        for (const { address } of addresses) assertAllowed(address, allow);
      } catch (refusal) {
        return callback(refusal as Error, '', 0);
      }
      const [first] = addresses;
      if (options.all === true) return callback(null, addresses);
      return callback(null, first?.address ?? '', first?.family ?? 0);
    });
  };
}

function send(target: URL, options: GuardedFetchOptions, lookup: LookupFunction): Promise<GuardedResponse> {
  const { method = 'GET', headers, body, timeoutMs = 30_000, maxBytes = 16 * 1024 * 1024, signal } = options;
  const deadline = AbortSignal.timeout(timeoutMs);
  const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void =>
      reject(error instanceof AppError ? error : noAnswer(target, error));
    const outgoing = request(
      target,
      {
        // A socket kept from a request with other permissions must not be used again.
        agent: false,
        method,
        headers,
        lookup,
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      },
      (response) => {
        readBody(response, maxBytes).then((content) => {
          resolve({ status: response.statusCode ?? 0, headers: plainHeaders(response), body: content });
        }, fail);
      },
    );
    outgoing.once('error', fail);
    outgoing.end(body);
  });
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) {
      response.destroy();
      throw new AppError('request.invalid', { public: `The answer is longer than ${maxBytes} bytes.` });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plainHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
}

function noAnswer(target: URL, error: unknown): AppError {
  return new AppError('store.unavailable', {
    public: `${target.origin} does not answer: ${messageOf(error)}`,
    cause: error,
  });
}
