/** A real Redis on loopback, without files. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createConnection } from 'node:net';

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
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn('redis-server', args, { stdio: 'ignore' });
    await eventually('Redis answers', () => answers(port));
  };
  process.once('exit', () => server?.kill('SIGKILL'));
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    kill: async () => {
      const ending = server;
      if (ending === undefined || ending.exitCode !== null) return;
      const ended = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
  };
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
