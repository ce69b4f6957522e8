import { z } from 'zod';

import { Log } from '#platform/telemetry';
import { SystemClock, IdSource } from '#platform/runtime';

import { eventually } from '../../../test/support/eventually.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../../../test/support/kafka.js';
import { describeWhere } from '../../../test/support/servers.js';
import {
  DEAD_LETTER_TOPIC,
  defineTopic,
  KafkaEventLog,
  LogEventStream,
  replayDeadLetters,
  type KafkaLogOptions,
  type LogRange,
  type LogRecord,
} from './index.js';

const ids = new IdSource(new SystemClock());
const text = (range: LogRange): string[] => range.records.map(({ value }) => Buffer.from(value).toString());
const recordsOf = (count: number, keyOf: (n: number) => string = (n) => `k${n}`): LogRecord[] =>
  Array.from({ length: count }, (_, n) => ({ key: keyOf(n), value: Buffer.from(`v${n}`) }));

describeWhere(kafkaAvailable())('the event log on a Kafka server', () => {
  let kafka: KafkaServer;
  const opened: KafkaEventLog[] = [];

  const open = (options: Partial<KafkaLogOptions> = {}): KafkaEventLog => {
    const log = new KafkaEventLog({
      brokers: kafka.brokers,
      log: Log.silent(),
      clock: new SystemClock(),
      ...options,
      consume: { maxWaitMs: 100, sessionTimeoutMs: 6_000, ...options.consume },
    });
    opened.push(log);
    return log;
  };
  const newTopic = async (log: KafkaEventLog, partitions = 1): Promise<string> => {
    const name = `t-${ids.newId()}`;
    await log.ensureTopics([topicOf(name, partitions)]);
    return name;
  };
  const topicOf = (name: string, partitions = 1) => ({
    name,
    partitions,
    replicationFactor: 1,
    config: { 'cleanup.policy': 'delete' },
  });

  beforeAll(async () => {
    kafka = await startKafka();
  }, 180_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((log) => log.close()));
  });
  afterAll(() => kafka.stop());

  it('gives every record to each group, in the order of its key', async () => {
    const log = open();
    const topic = await newTopic(log, 3);
    await log.append(
      topic,
      recordsOf(300, (n) => `k${n % 7}`),
    );
    for (const group of ['a', 'b']) {
      const seen: LogRecord[] = [];
      await log.consume({
        topic,
        group: `${group}-${topic}`,
        handler: (range) => Promise.resolve(void seen.push(...range.records)),
      });
      await eventually('all are there', () => seen.length >= 300);
      for (const key of new Set(seen.map((record) => record.key))) {
        const numbers = seen
          .filter((record) => record.key === key)
          .map(({ value }) => Number(Buffer.from(value).toString().slice(1)));
        expect(numbers).toEqual([...numbers].sort((x, y) => x - y));
      }
    }
  });

  it('gives a range again with the same token and bounds after a crash, whatever the fetch size', async () => {
    const first = open({ consume: { maxWaitMs: 100, sessionTimeoutMs: 2_000, maxRecords: 70 } });
    const topic = await newTopic(first);
    await first.append(topic, recordsOf(200));
    const group = `g-${topic}`;
    const before: LogRange[] = [];
    let endHanging: () => void = () => undefined;
    const hanging = new Promise<void>((_resolve, reject) => (endHanging = () => reject(new Error('ended'))));
    await first.consume({
      topic,
      group,
      handler: (range) => {
        before.push(range);
        // The second range is never finished: its member goes away as if killed after the insert.
        return before.length < 2 ? Promise.resolve() : hanging;
      },
    });
    const unfinished = await eventually('the second range', () => before[1]);
    const second = open({ consume: { maxWaitMs: 100, maxRecords: 33, fetchBytesPerPartition: 256 } });
    const after: LogRange[] = [];
    // A second member of the group makes the brokers drop the first, which no longer answers them in time.
    await second.consume({ topic, group, handler: (range) => Promise.resolve(void after.push(range)) });
    await eventually('all are there', () => after.flatMap(text).length >= 130, 60_000);
    expect(after[0]?.token).toBe(unfinished.token);
    expect(text(after[0] as LogRange)).toEqual(text(unfinished));
    expect(after.slice(1).flatMap(text)).toEqual(
      recordsOf(200)
        .slice(140)
        .map(({ value }) => value.toString()),
    );
    endHanging();
  }, 90_000);

  it('gives a failed range again until it is taken, and holds up no other partition', async () => {
    const log = open();
    const topic = await newTopic(log, 4);
    await log.append(topic, recordsOf(80));
    let failures = 3;
    const taken: LogRange[] = [];
    await log.consume({
      topic,
      group: `g-${topic}`,
      handler: (range) => {
        if (range.partition === 2 && failures-- > 0) return Promise.reject(new Error('store away'));
        taken.push(range);
        return Promise.resolve();
      },
    });
    await eventually('all are there', () => taken.flatMap(text).length === 80);
    expect(new Set(taken.flatMap(text)).size).toBe(80);
    expect(taken.at(-1)?.partition).toBe(2);
    await eventually('nothing is left', async () =>
      (await log.lag(topic, `g-${topic}`)).every(({ records }) => records === 0),
    );
  });

  it('moves partitions to a member that joins and back when it leaves, and loses nothing', async () => {
    const log = open();
    const topic = await newTopic(log, 4);
    const group = `g-${topic}`;
    const seen = new Set<string>();
    const byMember = [new Set<number>(), new Set<number>()];
    const member = (index: number) => (range: LogRange) => {
      byMember[index]?.add(range.partition);
      for (const value of text(range)) seen.add(value);
      return Promise.resolve();
    };
    await log.consume({ topic, group, handler: member(0) });
    const other = open();
    const joined = await other.consume({ topic, group, handler: member(1) });
    let sent = 0;
    const sendMore = async (): Promise<void> => {
      await log.append(
        topic,
        recordsOf(40).map((record) => ({ ...record, value: Buffer.from(`m${sent++}`) })),
      );
    };
    await eventually('both work', async () => {
      await sendMore();
      return (byMember[1]?.size ?? 0) > 0;
    });
    await joined.stop();
    await sendMore();
    await eventually('all are there', () => seen.size === sent);
  }, 90_000);

  it('loses nothing it said yes to while its broker is killed and comes back', async () => {
    const log = open();
    const topic = await newTopic(log, 2);
    const acknowledged = new Set<string>();
    let stop = false;
    const sending = (async () => {
      for (let n = 0; !stop; n++) {
        const value = `v${n}`;
        await log.append(topic, [{ key: value, value: Buffer.from(value) }]).then(
          () => acknowledged.add(value),
          () => undefined,
        );
      }
    })();
    await eventually('some are there', () => acknowledged.size > 50);
    await kafka.kill();
    await kafka.start();
    const before = acknowledged.size;
    await eventually('it goes on', () => acknowledged.size > before + 50, 60_000);
    stop = true;
    await sending;
    const counts = new Map<string, number>();
    const reader = open();
    await reader.consume({
      topic,
      group: `g-${topic}`,
      handler: (range) => {
        for (const value of text(range)) counts.set(value, (counts.get(value) ?? 0) + 1);
        return Promise.resolve();
      },
    });
    await eventually('all are there', () => [...acknowledged].every((value) => counts.has(value)));
  }, 120_000);

  it('refuses to grow without bound and takes records again once there is room', async () => {
    const log = open({ maxPendingBytes: 1_000 });
    const topic = await newTopic(log);
    const large = { key: 'k', value: Buffer.alloc(800) };
    const first = log.append(topic, [large]);
    await expect(log.append(topic, [large])).rejects.toMatchObject({ code: 'store.unavailable' });
    await first;
    await log.append(topic, [large]);
    await log.close();
    await expect(log.append(topic, [large])).rejects.toMatchObject({ code: 'store.unavailable' });
  });

  it('brings existing topics up to date and makes each once', async () => {
    const log = open();
    const name = `t-${ids.newId()}`;
    expect(await log.ensureTopics([topicOf(name, 1)])).toEqual([name]);
    expect(await log.ensureTopics([topicOf(name, 3)])).toEqual([]);
    await eventually('the partitions are there', () =>
      log.lag(name, 'nobody').then(
        (partitions) => partitions.length === 3,
        () => false, // the new partitions have no leader yet
      ),
    );
  });

  it('sets unreadable values aside with a reason, and a replay sends them back', async () => {
    const log = open();
    const name = await newTopic(log);
    await log.ensureTopics([topicOf(DEAD_LETTER_TOPIC)]);
    await log.append(name, [
      { key: 'k', value: Buffer.from('{"n":1}') },
      { key: 'k', value: Buffer.from('{oops') },
      { key: 'k', value: Buffer.from('{"n":"x"}') },
    ]);
    const stream = new LogEventStream(log, Log.silent());
    const seen: number[] = [];
    await stream.subscribe(defineTopic(name, z.object({ n: z.number() })), 'g', (batch) =>
      Promise.resolve(void seen.push(...batch.map(({ value }) => value.n))),
    );
    const reasons: string[] = [];
    await log.consume({
      topic: DEAD_LETTER_TOPIC,
      group: `g-${name}`,
      handler: (range) =>
        Promise.resolve(
          void reasons.push(...range.records.map(({ headers }) => headers?.['ratchet-reason'] ?? '')),
        ),
    });
    await eventually('both are set aside', () => reasons.length === 2);
    expect(seen).toEqual([1]);
    expect(reasons[0]).toMatch(/^not JSON/);
    expect(await replayDeadLetters(log)).toEqual({ sent: 2, unknown: 0 });
    await eventually('they come back, refused again', () => reasons.length === 4);
    expect(await replayDeadLetters(log)).toEqual({ sent: 2, unknown: 0 });
  });
});
