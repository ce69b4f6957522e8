/**
 * npm run test:chaos: Ratchet on Kafka, PostgreSQL and Redis servers, any of which, the app and its ClickHouse are killed again
 * and again under load, while a proxy swallows answers. Afterwards everything acknowledged is there once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRng } from '#kernel/random';
import { listChildRecords } from '#platform/process';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../support/kafka.js';
import { postgresBinDir, startPostgresServer, type PostgresServer } from '../support/postgres.js';
import { startProcess, type RatchetProcess } from '../support/ratchet.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis.js';
import { describeWhere } from '../support/servers.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';
import { Exporters, truthOf } from './load.js';
import { startSwallowingProxy } from './swallowing-proxy.js';
import { expectTruth } from './verify.js';

const KILLS = Number(process.env['RATCHET_CHAOS_KILLS'] ?? 50);
const SEED = Number(process.env['RATCHET_CHAOS_SEED'] ?? 1);
const EXPORTERS = 4;
const SWALLOWED_SHARE = 0.1;
const PARTS = ['app', 'clickhouse', 'kafka', 'postgres', 'redis'] as const;
const NAMED = process.env['RATCHET_CHAOS_VICTIMS']?.split(',') ?? PARTS;
const VICTIMS = PARTS.filter((part) => NAMED.includes(part));

const binDir = postgresBinDir();
const available = binDir !== undefined && kafkaAvailable() && redisAvailable();

describeWhere(available)(`Ratchet on servers, killed ${KILLS} times under load (seed ${SEED})`, () => {
  const home = tempDir();
  const rng = seededRng(SEED);
  const killed: Record<string, number> = {};
  let app: RatchetProcess;
  let kafka: KafkaServer;
  let postgres: PostgresServer;
  let redis: RedisServer;
  let settings: Record<string, string>;

  const start = async (): Promise<void> => {
    app = await startProcess(settings);
  };

  /** Kills one part and brings back what went with it. */
  const killOne = async (): Promise<void> => {
    const victim = rng.pick(VICTIMS);
    killed[victim] = (killed[victim] ?? 0) + 1;
    if (victim === 'app') await app.end('SIGKILL');
    else if (victim === 'clickhouse') await killStore();
    else {
      const server = { kafka, postgres, redis }[victim];
      await server.kill();
      await delay(rng.next() * 2_000);
      await server.start();
    }
    if (app.child.exitCode !== null || app.child.signalCode !== null) await start();
  };

  const killStore = async (): Promise<void> => {
    const store = listChildRecords(home).find((child) => child.name === 'clickhouse');
    if (store === undefined) return;
    const gone = new Promise((resolve) => app.child.once('close', resolve));
    process.kill(store.pid, 'SIGKILL');
    await gone;
  };

  beforeAll(async () => {
    [kafka, redis] = await Promise.all([startKafka(), startRedis()]);
    postgres = await startPostgresServer(binDir ?? '');
    settings = {
      RATCHET_HOME: home,
      RATCHET_PORT: String(await freePort()),
      RATCHET_DEMO: 'off',
      RATCHET_TRAIN: 'off',
      RATCHET_DATABASE_URL: await postgres.createDatabase(),
      RATCHET_KAFKA_BROKERS: kafka.brokers.join(','),
      RATCHET_KAFKA_PARTITIONS: '3',
      RATCHET_REDIS_URL: redis.url,
    };
    await start();
  }, 180_000);

  afterAll(async () => {
    await app.end('SIGTERM');
    await Promise.all([kafka.stop(), postgres.stop(), redis.kill()]);
    removeTempDirs();
  });

  it('keeps every acknowledged span once: counts per id, sums of tokens, by list, detail and totals', async () => {
    const proxy = await startSwallowingProxy(() => Number(settings['RATCHET_PORT']), {
      share: SWALLOWED_SHARE,
      rng,
    });
    const exporters = new Exporters(() => proxy.url, EXPORTERS);
    for (let kills = 0; kills < KILLS; kills++) {
      await delay(100 + rng.next() * 1_500);
      await killOne();
    }
    await exporters.finish();
    const truth = truthOf(exporters.acknowledged);
    console.log({ ...exporters.counts, swallowed: proxy.swallowed(), killed, ...truth });
    expect(exporters.fatal).toEqual([]);
    await eventually(
      'every run is a trajectory',
      async () => (await app.get<{ trajectories: number }>('/api/v1/stats')).trajectories >= truth.runs,
      300_000,
    );
    await expectTruth(app.get, exporters.acknowledged, rng);
    await proxy.close();
  }, 3_600_000);
});
