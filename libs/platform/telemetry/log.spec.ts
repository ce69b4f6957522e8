import { AppError } from '#kernel/errors';

import { Log, NestLog } from './index.js';

function capture(level: 'debug' | 'info' = 'info') {
  const lines: Record<string, unknown>[] = [];
  const log = Log.create(level, {
    write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { log, lines };
}

describe('the log', () => {
  it('writes events with fields, and nothing below its level', () => {
    const { log, lines } = capture();
    log.with({ stage: 'triage' }).info('bucket.created', { bucketId: 'b1' });
    log.debug('hidden');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      level: 'info',
      event: 'bucket.created',
      stage: 'triage',
      bucketId: 'b1',
    });
  });

  it('never shows a secret, however deep in a request', () => {
    const { log, lines } = capture();
    log.info('request', {
      authorization: 'Bearer sekret',
      headers: { authorization: 'sekret', 'x-api-key': 'sekret', cookie: 'sekret' },
      request: { headers: { authorization: 'sekret', 'set-cookie': 'sekret' } },
      config: { clickhouse: { password: 'sekret' }, http: { apiKey: 'sekret' } },
    });
    expect(JSON.stringify(lines)).not.toMatch(/sekret/);
  });

  it('keeps the code, detail and cause of an error', () => {
    const { log, lines } = capture();
    const cause = new Error('disk full');
    log.error('store.failed', {
      error: new AppError('store.unavailable', { public: 'Try again.', detail: { table: 't' }, cause }),
    });
    expect(lines[0]).toMatchObject({
      error: {
        code: 'store.unavailable',
        message: 'Try again.',
        detail: { table: 't' },
        cause: { message: 'disk full' },
      },
    });
  });

  it("takes Nest's messages", () => {
    const { log, lines } = capture('debug');
    new NestLog(log).error('broken', 'stack text', 'Injector');
    expect(lines[0]).toMatchObject({
      level: 'error',
      event: 'nest.error',
      message: 'broken',
      stack: 'stack text',
      context: 'Injector',
    });
  });
});
