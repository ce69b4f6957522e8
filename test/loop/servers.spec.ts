import { eventually } from '../support/eventually.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../support/kafka.js';
import { startInProcess } from '../support/ratchet.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis.js';
import { describeWhere } from '../support/servers.js';
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
  let ratchet: Started;

  beforeAll(async () => {
    [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
    ratchet = await startInProcess({
      RATCHET_DEMO: 'off',
      RATCHET_TRAIN: 'off',
      RATCHET_KAFKA_BROKERS: kafka.brokers.join(','),
      RATCHET_KAFKA_PARTITIONS: '3',
      RATCHET_REDIS_URL: redis.url,
    });
  }, 120_000);
  afterAll(async () => {
    await ratchet.stop();
    await kafka.stop();
    await redis.kill();
  });

  const stats = async (): Promise<{ spans: number }> =>
    (await (await fetch(`${ratchet.url}/api/v1/stats`)).json()) as { spans: number };

  it('stores what the receiver took, and says how far behind it is', async () => {
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] });
    const send = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    for (let n = 0; n < 2; n++) expect((await fetch(`${ratchet.url}/v1/traces`, send)).status).toBe(200);
    await eventually('it is stored once', async () => (await stats()).spans === 1);
    const metrics = await eventually('nothing waits', async () => {
      const text = await (await fetch(`${ratchet.url}/metrics`)).text();
      const lags = [...text.matchAll(/^ratchet_stream_lag_messages\{.*\} (\d+)$/gm)].map(([, count]) =>
        Number(count),
      );
      return lags.length === 3 && lags.every((count) => count === 0) ? text : undefined;
    });
    expect(metrics).toMatch(/^ratchet_ingest_freshness_seconds_count [1-9]/m);
    expect(metrics).toMatch(/^process_resident_memory_bytes /m);
  }, 60_000);
});
