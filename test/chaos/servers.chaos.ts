/**
 * npm run test:chaos: Ratchet on Kafka, PostgreSQL and Redis servers, any of which, the app and its ClickHouse are killed again
 * and again under load, while a proxy swallows answers. Afterwards everything acknowledged is there once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRng } from '#kernel/random';
import { freePort } from '../support/free-port.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../support/kafka.js';
import { postgresBinDir, startPostgresServer, type PostgresServer } from '../support/postgres.js';
import { startProcess, type RatchetProcess } from '../support/ratchet.js';
import { redisAvailable, startRedis, type RedisServer } from '../support/redis.js';
import { describeWhere } from '../support/servers.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';
import { KILLS, killStore, killUnderLoad, SEED } from './under-load.js';

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
    else if (victim === 'clickhouse') await killStore(home, app);
    else {
      const server = { kafka, postgres, redis }[victim];
      await server.kill();
      await delay(rng.next() * 2_000);
      await server.start();
    }
    if (app.child.exitCode !== null || app.child.signalCode !== null) await start();
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
    const port = Number(settings['RATCHET_PORT']);
    await killUnderLoad({ port, rng, killOne, app: () => app, report: () => ({ killed }) });
  }, 3_600_000);
});
