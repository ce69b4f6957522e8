/** What runs beneath Nest: the data folder, the stores and the policy server, in the order in which they start and end. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppError, messageOf } from '#kernel/errors';
import { EmbeddedFleet } from '#loop/serving';
import type { StreamLink } from '#loop/trajectories';
import { FolderArtifactStore } from '#platform/artifacts';
import { ClickHouse, migrateClickHouse } from '#platform/clickhouse';
import type { AppConfig } from '#platform/config';
import { PolicyServer } from '#platform/onnx';
import { migratePostgres, Postgres } from '#platform/postgres';
import { acquireHomeLock, clearOrphans } from '#platform/process';
import { IdSource, SystemClock } from '#platform/runtime';
import { Log, Metrics } from '#platform/telemetry';
import { openChannels } from './channels.js';
import type { PlatformParts } from './platform.module.js';

export interface Runtime extends PlatformParts {
  fleet: EmbeddedFleet;
  policyServer: PolicyServer;
  streamLink: StreamLink;
  stop(): Promise<void>;
}

export type Say = (text: string) => void;

/** @throws AppError config.invalid saying which folder and what to do. */
function openHome(homeDir: string): void {
  try {
    mkdirSync(homeDir, { recursive: true });
    accessSync(homeDir, constants.W_OK);
  } catch (error) {
    throw new AppError('config.invalid', {
      public: `The data folder ${homeDir} cannot be written (${messageOf(error)}). Set RATCHET_HOME to a folder that can.`,
      cause: error,
    });
  }
}

/** @throws AppError config.invalid when something else listens there. */
export function assertPortFree(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      const public_ = `Port ${port} on ${host} cannot be used (${error.message}). Stop what listens there, or set RATCHET_PORT to another port.`;
      reject(new AppError('config.invalid', { public: public_, cause: error }));
    });
    probe.listen(port, host, () => probe.close(() => resolve()));
  });
}

async function openStores(
  config: AppConfig,
  say: Say,
): Promise<{ clickhouse: ClickHouse; postgres: Postgres; migrated: string[] }> {
  const { homeDir, clickhouse: server, postgres: state } = config;
  say('Opening the trajectory store (ClickHouse) and the state store (PostgreSQL)');
  const openState =
    state.url === undefined
      ? Postgres.startEmbedded({ homeDir })
      : Promise.resolve(Postgres.connect({ url: state.url }));
  const clickhouse =
    server.url === undefined
      ? await ClickHouse.startEmbedded({ homeDir })
      : ClickHouse.connect({
          url: server.url,
          user: server.user,
          password: server.password,
          database: server.database,
        });
  const postgres = await openState;
  if (server.url !== undefined) await clickhouse.ensureDatabase();
  return {
    clickhouse,
    postgres,
    migrated: [...(await migrateClickHouse(clickhouse)), ...(await migratePostgres(postgres))],
  };
}

/**
 * Brings the stores of these settings up to date and closes them again. Returns what was applied now.
 * @throws AppError with what to do.
 */
export async function migrateStores(config: AppConfig, say: Say): Promise<string[]> {
  openHome(config.homeDir);
  const lock = acquireHomeLock(config.homeDir);
  try {
    const { clickhouse, postgres, migrated } = await openStores(config, say);
    await Promise.all([clickhouse.close(), postgres.close()]);
    return migrated;
  } finally {
    lock.release();
  }
}

/**
 * Starts everything beneath Nest; what was started is ended again when a later part fails.
 * @throws AppError with what to do.
 */
export async function startRuntime(config: AppConfig, rootDir: string, say: Say): Promise<Runtime> {
  const { homeDir } = config;
  await assertPortFree(config.http.host, config.http.port);
  openHome(homeDir);
  const lock = acquireHomeLock(homeDir);
  const endings: (() => Promise<void> | void)[] = [() => lock.release()];
  const stop = async (): Promise<void> => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    await clearOrphans(homeDir);
    const log = Log.create(config.log.level);
    const clock = new SystemClock();
    const channels = await openChannels(config, clock, log);
    endings.push(
      () => channels.stream.close(),
      () => channels.queue.close(),
    );
    const { clickhouse, postgres } = await openStores(config, say);
    endings.push(
      () => clickhouse.close(),
      () => postgres.close(),
    );
    say('Starting the policy server');
    const policyDir = join(rootDir, 'native', 'tiny-policy', 'policy');
    if (!existsSync(join(policyDir, 'model.onnx'))) {
      throw new AppError('config.invalid', {
        public: `The policy in ${policyDir} is missing; check out the repository again.`,
      });
    }
    const policyServer = await PolicyServer.start({ homeDir, policyDir });
    endings.push(() => policyServer.stop());
    const fleet = await EmbeddedFleet.over(policyServer, policyDir);
    const artifacts = new FolderArtifactStore(join(homeDir, 'artifacts'));
    return {
      clock,
      ids: new IdSource(clock),
      log,
      clickhouse,
      postgres,
      artifacts,
      ...channels,
      metrics: new Metrics(),
      policyServer,
      fleet,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
