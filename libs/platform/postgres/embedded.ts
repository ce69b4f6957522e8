import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { PGlite } from '@electric-sql/pglite';

import { AppError, messageOf } from '#kernel/errors';
import { childScript, spawnChild } from '#platform/process';

import { DurableNodeFS } from './durable-fs.js';
import { keepText, OID, parseInt8, parseTimestamp } from './value-types.js';

/**
 * PGlite starts with fsync off (`-F`) and 128 MB of shared buffers. A commit must survive a power cut, and the control
 * state is small, so both are set the other way. The engine has fsync only: its fdatasync, the default, does nothing.
 */
const START_PARAMS = [
  ...PGlite.defaultStartParams.filter((param) => param !== '-F'),
  ...['shared_buffers=8MB', 'timezone=UTC', 'wal_buffers=512kB', 'wal_sync_method=fsync'].flatMap(
    (setting) => ['-c', setting],
  ),
];

/**
 * Opens the database folder, made first when it is missing.
 * @throws AppError `store.unavailable`.
 */
export async function openEmbedded(homeDir: string): Promise<PGlite> {
  const dataDir = join(homeDir, 'postgres');
  try {
    if (!existsSync(dataDir)) await createDataDir(homeDir, dataDir);
    return await PGlite.create({
      fs: new DurableNodeFS(dataDir),
      startParams: START_PARAMS,
      parsers: {
        [OID.int8]: parseInt8,
        [OID.timestamp]: parseTimestamp,
        [OID.timestamptz]: parseTimestamp,
        [OID.date]: keepText,
      },
    });
  } catch (error) {
    throw new AppError('store.unavailable', {
      public: `The state store in ${dataDir} cannot be opened: ${messageOf(error)}`,
      cause: error,
    });
  }
}

/**
 * Makes the folder in a child process, since the making takes some 400 MB that a process would keep; under another name,
 * since a folder half made must not be taken for a database.
 */
async function createDataDir(homeDir: string, dataDir: string): Promise<void> {
  const draft = `${dataDir}.new`;
  rmSync(draft, { recursive: true, force: true });
  const child = spawnChild({
    name: 'postgres-init',
    homeDir,
    script: childScript(import.meta.url, './init.main'),
    config: { dataDir: draft },
  });
  await child.ready;
  await child.exited;
  renameSync(draft, dataDir);
}
