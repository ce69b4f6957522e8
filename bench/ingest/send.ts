/** Sends a load over keep-alive connections, as many requests at once as there are connections. */
import { Agent, request } from 'node:http';

export interface SendOptions {
  url: string;
  bodies: readonly Buffer[];
  connections: number;
  headers?: Record<string, string>;
}

export interface SendResult {
  seconds: number;
  /** Times of the answered requests, ms, ascending. */
  latenciesMs: number[];
  retries: number;
}

const RETRY_AFTER_MS = 500;
const MAX_TRIES = 200;

/** Resolves when every body was answered 2xx; 429 and 503 are tried again, as exporters do. @throws Error for any other answer. */
export async function sendAll({ url, bodies, connections, headers = {} }: SendOptions): Promise<SendResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const latenciesMs: number[] = [];
  let next = 0;
  let retries = 0;
  const connection = async (): Promise<void> => {
    for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
      for (let tries = 1; ; tries++) {
        const started = performance.now();
        const status = await post({ agent, url, body, headers });
        if (status >= 200 && status < 300) {
          latenciesMs.push(performance.now() - started);
          break;
        }
        if ((status !== 429 && status !== 503) || tries === MAX_TRIES)
          throw new Error(`${url} answered ${status}`);
        retries++;
        await new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_MS));
      }
    }
  };
  const started = performance.now();
  try {
    await Promise.all(Array.from({ length: connections }, connection));
  } finally {
    agent.destroy();
  }
  return {
    seconds: (performance.now() - started) / 1000,
    latenciesMs: latenciesMs.sort((a, b) => a - b),
    retries,
  };
}

function post(call: {
  agent: Agent;
  url: string;
  body: Buffer;
  headers: Record<string, string>;
}): Promise<number> {
  const { agent, url, body, headers } = call;
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/x-protobuf',
          'content-length': String(body.length),
          ...headers,
        },
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode ?? 0));
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}
