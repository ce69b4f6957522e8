import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { addressKind, guardedFetch } from './index.js';

let server: Server;
let origin: string;
let requests = 0;

beforeAll(async () => {
  server = createServer((request, response) => {
    requests += 1;
    if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    else if (request.url === '/hang') return;
    else if (request.url === '/long') response.end('x'.repeat(10_000));
    else request.pipe(response.setHeader('x-method', request.method ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('guardedFetch', () => {
  it('reaches loopback by address and by name', async () => {
    const answer = await guardedFetch(`http://${origin}/`, { method: 'POST', body: 'hello' });
    expect({ ...answer, body: answer.body.toString() }).toMatchObject({
      status: 200,
      body: 'hello',
      headers: { 'x-method': 'POST' },
    });
    const byName = await guardedFetch(`http://${origin.replace('127.0.0.1', 'localhost')}/`);
    expect(byName.status).toBe(200);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[fe80::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://0.0.0.0/',
    'http://2852039166/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'http://user:password@127.0.0.1/',
    'not a url',
  ])('refuses %s, whatever is allowed', async (url) => {
    const refused = guardedFetch(url, { allow: ['loopback', 'private', 'public'] });
    await expect(refused).rejects.toMatchObject({ code: 'request.invalid' });
  });

  it('refuses by name what it would refuse by address, before a request is sent', async () => {
    const before = requests;
    const refused = guardedFetch(`http://${origin.replace('127.0.0.1', 'localhost')}/`, {
      allow: ['public'],
    });
    await expect(refused).rejects.toMatchObject({ code: 'request.invalid' });
    expect(requests).toBe(before);
  });

  it('does not follow a redirect', async () => {
    expect((await guardedFetch(`http://${origin}/away`)).status).toBe(302);
  });

  it('bounds the time and the length of an answer', async () => {
    await expect(guardedFetch(`http://${origin}/hang`, { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'store.unavailable',
    });
    await expect(guardedFetch(`http://${origin}/long`, { maxBytes: 100 })).rejects.toMatchObject({
      code: 'request.invalid',
    });
  });
});

describe('addressKind', () => {
  it.each([
    ['127.0.0.53', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:7f00:1', 'loopback'],
    ['10.1.2.3', 'private'],
    ['fd12::1', 'private'],
    ['8.8.8.8', 'public'],
    ['100.100.100.200', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['localhost', 'forbidden'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });
});
