/** A proxy between exporter and Ratchet that now and then lets the request through and swallows the answer. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import type { Rng } from '#kernel/random';

export interface SwallowingProxy {
  url: string;
  swallowed(): number;
  close(): Promise<void>;
}

export function startSwallowingProxy(
  toPort: () => number,
  options: { share: number; rng: Rng },
): Promise<SwallowingProxy> {
  let swallowed = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(toPort(), '127.0.0.1');
    const swallows = options.rng.next() < options.share;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      // Either side going away is what this proxy is for: it ends the other one.
      socket.on('error', end).on('close', () => {
        open.delete(socket);
        end();
      });
    }
    client.pipe(upstream);
    if (!swallows) return void upstream.pipe(client);
    upstream.once('data', () => {
      swallowed += 1;
      end();
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        swallowed: () => swallowed,
        close: () =>
          new Promise((closed) => {
            for (const socket of open) socket.destroy();
            server.close(() => closed());
          }),
      });
    });
  });
}
