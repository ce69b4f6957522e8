import { SystemClock } from '#platform/runtime';
import { KafkaEventLog } from '#platform/stream';
import { Log } from '#platform/telemetry';
import { eventually } from '../support/eventually.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../support/kafka.js';
import { runToEnd, startInProcess, type Ended } from '../support/ratchet.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis.js';
import { describeWhere } from '../support/servers.js';
import { tempDir } from '../support/temp-dir.js';
import type { Started } from '../../apps/ratchet/start.js';

const SPAN = {
  traceId: 'c'.repeat(32),
  spanId: 'd'.repeat(16),
  name: 'invoke_agent helper',
  kind: 1,
  startTimeUnixNano: '1700000000000000000',
  endTimeUnixNano: '1700000001000000000',
  attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } }],
};

describeWhere(kafkaAvailable() && redisAvailable())('Ratchet on Kafka and Redis servers', () => {
  let kafka: KafkaServer;
  let redis: RedisServer;
  let ratchet: Started | undefined;
  let migrated: Ended;
  const command = (...args: string[]): Promise<Ended> =>
    runToEnd('apps/ratchet/cli/main.js', args, {
      RATCHET_HOME: tempDir(),
      RATCHET_KAFKA_BROKERS: kafka.brokers.join(','),
      RATCHET_KAFKA_PARTITIONS: '3',
    });

  beforeAll(async () => {
    [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
    migrated = await command('migrate', '--json');
    ratchet = await startInProcess({
      RATCHET_DEMO: 'off',
      RATCHET_TRAIN: 'off',
      RATCHET_KAFKA_BROKERS: kafka.brokers.join(','),
      RATCHET_KAFKA_PARTITIONS: '3',
      RATCHET_REDIS_URL: redis.url,
    });
  }, 300_000);
  afterAll(async () => {
    await ratchet?.stop();
    await kafka.stop();
    await redis.kill();
  });

  const stats = async (): Promise<{ spans: number }> =>
    (await (await fetch(`${ratchet?.url}/api/v1/stats`)).json()) as { spans: number };

  it('gets its tables and topics from one command', () => {
    expect(migrated.code).toBe(0);
    const said = JSON.parse(/^\{"migrations.*$/m.exec(migrated.output)?.[0] ?? '') as Record<
      string,
      string[]
    >;
    expect(said['topics']).toEqual(['spans.v1', 'facts.v1', 'completed.v1', 'dlq.v1']);
    expect(said['migrations']?.length).toBeGreaterThan(0);
  });

  it('stores what the receiver took, and says how far behind it is', async () => {
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] });
    const send = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    for (let n = 0; n < 2; n++) expect((await fetch(`${ratchet?.url}/v1/traces`, send)).status).toBe(200);
    await eventually('it is stored once', async () => (await stats()).spans === 1);
    const metrics = await eventually('nothing waits', async () => {
      const text = await (await fetch(`${ratchet?.url}/metrics`)).text();
      const lags = [...text.matchAll(/^ratchet_stream_lag_messages\{.*\} (\d+)$/gm)].map(([, count]) =>
        Number(count),
      );
      return lags.length === 3 && lags.every((count) => count === 0) ? text : undefined;
    });
    expect(metrics).toMatch(/^ratchet_ingest_freshness_seconds_count [1-9]/m);
    expect(metrics).toMatch(/^process_resident_memory_bytes /m);
  }, 60_000);

  it('sets aside what it cannot read, and one command sends it again', async () => {
    const log = new KafkaEventLog({ brokers: kafka.brokers, clock: new SystemClock(), log: Log.silent() });
    await log.append('spans.v1', [{ key: 'k', value: Buffer.from('not spans') }]);
    const setAside = async (): Promise<number> =>
      (await log.lag('dlq.v1', 'nobody')).reduce((sum, { records }) => sum + records, 0);
    await eventually('it is set aside', async () => (await setAside()) === 1);
    const replayed = await command('replay-dlq', '--json');
    expect(replayed).toMatchObject({ code: 0, output: expect.stringContaining('{"sent":1,"unknown":0}') });
    await eventually('it is set aside again', async () => (await setAside()) === 2);
    await log.close();
  }, 60_000);
});
