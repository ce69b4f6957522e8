import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pg from 'pg';

import { Postgres } from '#platform/postgres';
import { projectRoot } from '#platform/runtime';

import { eventually } from './eventually.js';
import { freePort } from './free-port.js';
import { removeTempDirs, tempDir } from './temp-dir.js';

const DEBIAN_ROOT = '/usr/lib/postgresql';

/** Folder of the newest installed server programs, or undefined. */
export function postgresBinDir(): string | undefined {
  const versions = existsSync(DEBIAN_ROOT)
    ? readdirSync(DEBIAN_ROOT).map(Number).filter(Number.isFinite)
    : [];
  return versions
    .sort((a, b) => b - a)
    .map((version) => join(DEBIAN_ROOT, String(version), 'bin'))
    .find((dir) => existsSync(join(dir, 'initdb')) && existsSync(join(dir, 'postgres')));
}

export interface PostgresServer {
  /** Makes an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Ends every process of it at once. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Opens PGlite in `homeDir` from a copy of an empty database that is made once per machine and version: making one takes
 * seconds of CPU, and every store suite needs several.
 */
export async function startEmbeddedPostgres(homeDir = tempDir()): Promise<Postgres> {
  const { version } = JSON.parse(
    readFileSync(join(projectRoot(), 'node_modules/@electric-sql/pglite/package.json'), 'utf8'),
  ) as { version: string };
  const template = join(tmpdir(), `ratchet-test-pglite-${version}-${process.getuid?.() ?? 0}`);
  if (!existsSync(template)) {
    const first = tempDir();
    await (await Postgres.startEmbedded({ homeDir: first })).close();
    // Of two spec files that make it at once, the second finds it made: its rename fails and its copy is dropped.
    await rename(join(first, 'postgres'), template).catch(() => undefined);
  }
  await cp(template, join(homeDir, 'postgres'), { recursive: true });
  return Postgres.startEmbedded({ homeDir });
}

/** Starts a real server on loopback over a temporary folder. PostgreSQL refuses to run as root, so root starts it as `postgres`. */
export async function startPostgresServer(binDir: string): Promise<PostgresServer> {
  const identity = process.getuid?.() === 0 ? userIds('postgres') : undefined;
  const dataDir = tempDir('ratchet-pg-');
  if (identity !== undefined) chownSync(dataDir, identity.uid, identity.gid);
  const made = spawnSync(
    join(binDir, 'initdb'),
    ['-D', dataDir, '-U', 'ratchet', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...identity,
      encoding: 'utf8',
      cwd: dataDir,
    },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = [
    'fsync=off',
    'shared_buffers=16MB',
    'max_connections=30',
    `unix_socket_directories=`,
    'listen_addresses=127.0.0.1',
  ];
  const args = ['-D', dataDir, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  let server: ChildProcess | undefined;
  // A group of its own: a kill takes the backends along, as the end of the machine would.
  const signal = (name: NodeJS.Signals): void => {
    if (server?.pid !== undefined && server.exitCode === null) process.kill(-server.pid, name);
  };
  const killAtExit = (): void => signal('SIGKILL');
  process.once('exit', killAtExit);
  const urlOf = (database: string): string => `postgres://ratchet@127.0.0.1:${port}/${database}`;
  const start = async (): Promise<void> => {
    const options = { ...identity, cwd: dataDir, stdio: 'ignore' as const, detached: true };
    server = spawn(join(binDir, 'postgres'), args, options);
    await eventually('PostgreSQL accepts connections', () => accepts(urlOf('postgres')));
  };
  await start();
  let databases = 0;
  return {
    createDatabase: async () => {
      const name = `spec_${++databases}`;
      await runOnce(urlOf('postgres'), `CREATE DATABASE ${name}`);
      return urlOf(name);
    },
    kill: async () => {
      const gone = new Promise((resolve) => server?.once('exit', resolve));
      signal('SIGKILL');
      await gone;
      // What the killed server's shared memory was known by; a start of its own refuses while it stands.
      rmSync(join(dataDir, 'postmaster.pid'), { force: true });
    },
    start,
    stop: async () => {
      if (server !== undefined) await stopServer(server);
      process.off('exit', killAtExit);
    },
  };
}

/**
 * Declares one suite for both stores. `open` gives an empty store of its own; all are closed at the end. Without server
 * programs the server's suite is skipped and shows as such in the count.
 */
export function describeOnEachPostgres(title: string, suite: (open: () => Promise<Postgres>) => void): void {
  const opened: Postgres[] = [];
  const keep = (postgres: Postgres): Postgres => {
    opened.push(postgres);
    return postgres;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((postgres) => postgres.close()));
  };
  describe(`${title} on PGlite`, () => {
    afterAll(async () => {
      await closeAll();
      removeTempDirs();
    });
    suite(async () => keep(await startEmbeddedPostgres()));
  });
  const binDir = postgresBinDir();
  const describeOrSkip = binDir === undefined ? describe.skip : describe;
  describeOrSkip(`${title} on a PostgreSQL server`, () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgresServer(binDir ?? '');
    });
    afterAll(async () => {
      await closeAll();
      await server.stop();
      removeTempDirs();
    });
    suite(async () => keep(Postgres.connect({ url: await server.createDatabase() })));
  });
}

function userIds(name: string): { uid: number; gid: number } {
  const ask = (flag: string): number => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }));
  return { uid: ask('-u'), gid: ask('-g') };
}

async function runOnce(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function accepts(url: string): Promise<boolean> {
  return runOnce(url, 'SELECT 1').then(
    () => true,
    () => false,
  );
}

function stopServer(server: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill('SIGINT');
  });
}
