/** A real Redis on loopback, without files. */
import { createConnection } from 'node:net';

import { spawnBound, type BoundServer } from './bound-server.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { hasProgram } from './servers.js';

export interface RedisServer {
  url: string;
  kill(): Promise<void>;
  /** Starts it again on the same port, empty. */
  start(): Promise<void>;
}

let available: boolean | undefined;

export function redisAvailable(): boolean {
  return (available ??= hasProgram('redis-server'));
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let server: BoundServer | undefined;
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawnBound('redis-server', args);
    await eventually('Redis answers', () => answers(port));
  };
  await start();
  return { url: `redis://127.0.0.1:${port}`, start, kill: async () => server?.kill() };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port }, () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}
