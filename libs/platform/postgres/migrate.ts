import { readdirSync } from 'node:fs';

import { Migrator, type Migration, type MigrationProvider } from 'kysely';

import { AppError, messageOf } from '#kernel/errors';

import type { Postgres } from './postgres.js';

const FILE_NAME = /^(\d{4}_[a-z0-9_]+)\.(ts|js)$/;

/** `migrations/postgres` beside `libs`, in the source tree and in `dist` alike. */
const MIGRATIONS_DIR = new URL('../../../migrations/postgres/', import.meta.url);

class FolderProvider implements MigrationProvider {
  constructor(private readonly dir: URL) {}

  async getMigrations(): Promise<Record<string, Migration>> {
    const migrations: Record<string, Migration> = {};
    for (const file of readdirSync(this.dir).sort()) {
      const name = FILE_NAME.exec(file)?.[1];
      if (name === undefined || file.endsWith('.spec.ts')) continue;
      migrations[name] = (await import(new URL(file, this.dir).href)) as Migration;
    }
    return migrations;
  }
}

/**
 * Applies what is not applied yet, in order, each in a transaction; two apps that start at once take turns. Returns the
 * names applied now.
 * @throws AppError `internal` naming the migration that failed.
 */
export async function migratePostgres(postgres: Postgres, dir: URL = MIGRATIONS_DIR): Promise<string[]> {
  const migrator = new Migrator({ db: postgres.tables(), provider: new FolderProvider(dir) });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error === undefined) return results.map((result) => result.migrationName);
  const failed = results.find((result) => result.status === 'Error')?.migrationName;
  throw new AppError('internal', {
    public: `The state store could not be brought up to date${failed === undefined ? '' : ` (migration ${failed})`}: ${messageOf(error)}`,
    cause: error,
  });
}
