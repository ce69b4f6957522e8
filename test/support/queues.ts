/** Both columns of the work queue: in process, and through a real Redis. */
import { BullMqJobQueue, InProcessJobQueue, type JobQueue } from '#platform/queue';
import { Log } from '#platform/telemetry';

import { redisAvailable, startRedis, type RedisServer } from './redis.js';
import { describeWhere } from './servers.js';

/** Declares one suite for both. `open` gives a queue; queues of one suite share their notices, and all are closed at the end. */
export function describeOnEachQueue(title: string, suite: (open: () => JobQueue) => void): void {
  const opened: JobQueue[] = [];
  const keep = (queue: JobQueue): JobQueue => {
    opened.push(queue);
    return queue;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
  };
  describe(`${title} in process`, () => {
    afterAll(closeAll);
    suite(() => keep(new InProcessJobQueue()));
  });
  describeWhere(redisAvailable())(`${title} through a Redis server`, () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(async () => {
      await closeAll();
      await redis.kill();
    });
    suite(() => keep(new BullMqJobQueue({ url: redis.url, log: Log.silent() })));
  });
}
