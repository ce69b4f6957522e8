import { Log } from '#platform/telemetry';

import { eventually } from '../../../test/support/eventually.js';
import { describeOnEachQueue } from '../../../test/support/queues.js';
import { redisAvailable, startRedis } from '../../../test/support/redis.js';
import { describeWhere } from '../../../test/support/servers.js';
import { BullMqJobQueue, type JobQueue } from './index.js';

describeOnEachQueue('notices', (open) => {
  let queue: JobQueue;
  beforeAll(() => {
    queue = open();
  });

  it('reach the listeners of their kind only', async () => {
    const seen: string[] = [];
    const endA = queue.onNotify('kind:a', (id) => seen.push(`a ${id}`));
    const endB = queue.onNotify('kind:b', (id) => seen.push(`b ${id}`));
    await queue.notify('kind:a', '1');
    await queue.notify('kind:b', '2');
    await eventually('both arrived', () => seen.length === 2);
    expect([...seen].sort()).toEqual(['a 1', 'b 2']);
    endA();
    endB();
  });

  it('reach every listener of one process, and none that has ended', async () => {
    const seen: string[] = [];
    const endFirst = queue.onNotify('shared', () => seen.push('first'));
    const endSecond = queue.onNotify('shared', () => seen.push('second'));
    await queue.notify('shared', '1');
    await eventually('both heard', () => seen.length === 2);
    endFirst();
    await queue.notify('shared', '2');
    await eventually('the other heard', () => seen.length === 3);
    expect(seen[2]).toBe('second');
    endSecond();
  });
});

describeWhere(redisAvailable())('notices through a Redis server', () => {
  it('go from one process to another, and reach each once', async () => {
    const redis = await startRedis();
    const [sender, first, second] = [1, 2, 3].map(
      () => new BullMqJobQueue({ url: redis.url, log: Log.silent() }),
    ) as [BullMqJobQueue, BullMqJobQueue, BullMqJobQueue];
    const seen: string[] = [];
    first.onNotify('k', (id) => seen.push(id));
    second.onNotify('k', (id) => seen.push(id));
    for (let n = 0; n < 20; n++) await sender.notify('k', String(n));
    await eventually('all arrived', () => seen.length >= 20);
    expect([...new Set(seen)]).toHaveLength(20);
    await Promise.all([sender.close(), first.close(), second.close()]);
    await redis.kill();
  });

  it('are lost without harm while Redis is away, and go on when it is back', async () => {
    const redis = await startRedis();
    const queue = new BullMqJobQueue({ url: redis.url, log: Log.silent() });
    const seen: string[] = [];
    queue.onNotify('k', (id) => seen.push(id));
    await queue.notify('k', 'before');
    await eventually('it arrived', () => seen.includes('before'));
    await redis.kill();
    await queue.notify('k', 'away');
    await redis.start();
    await eventually('a notice arrives again', async () => {
      await queue.notify('k', 'after');
      return seen.includes('after');
    });
    await queue.close();
    await redis.kill();
  });
});
