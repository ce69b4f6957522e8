import { AppError } from '#kernel/errors';
import { Log } from './log.js';

function lines(use: (log: Log) => void): Record<string, unknown>[] {
  const written: string[] = [];
  use(new Log('debug', { write: (line) => void written.push(line) }));
  return written.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('the log', () => {
  it('never writes a secret, at the top or one level down', () => {
    const [line] = lines((log) => log.info('x', { key: 's3cret', headers: { authorization: 'Bearer s3cret', cookie: 's3cret' } }));
    expect(JSON.stringify(line)).not.toContain('s3cret');
  });

  it('keeps the internal detail of an error that its public text leaves out', () => {
    const error = new AppError('internal', { public: 'It failed.', detail: { table: 'spans' }, cause: new Error('disk') });
    const [line] = lines((log) => log.error('store.failed', { error }));
    expect(line).toMatchObject({ msg: 'store.failed', error: { code: 'internal', detail: { table: 'spans' }, cause: 'disk' } });
  });
});
