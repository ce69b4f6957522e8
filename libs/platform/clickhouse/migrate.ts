import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { projectRoot } from '#platform/runtime';

import type { ClickHouse } from './clickhouse.js';
import { defineQuery } from './define-query.js';

const FILE_NAME = /^(\d{4})_[a-z0-9_]+\.sql$/;

const appliedMigrations = defineQuery({
  name: 'migrate.applied',
  params: z.object({}),
  row: z.object({ name: z.string(), checksum: z.string() }),
  sql: 'SELECT name, any(checksum) AS checksum FROM schema_migrations GROUP BY name',
});

/** Statements of a migration file: a semicolon at the end of a line ends one; chunks of only comments are dropped. */
export function splitStatements(sql: string): string[] {
  return sql
    .split(/;[ \t]*(?:--[^\n]*)?(?:\r?\n|$)/)
    .map((chunk) => chunk.trim())
    .filter((chunk) => chunk.replace(/--[^\n]*/g, '').trim() !== '');
}

/**
 * Applies the files of `dir` that are not applied yet, in order, forward only. Statements are idempotent, so a run that
 * was killed half-way, or two runs at once, do no harm. Returns the names applied now.
 * @throws AppError `internal` when a file that was applied has changed since, or numbers are missing or doubled.
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  dir = join(projectRoot(), 'migrations', 'clickhouse'),
): Promise<string[]> {
  const files = migrationFiles(dir);
  await clickhouse.ensureDatabase();
  await clickhouse.command(
    `CREATE TABLE IF NOT EXISTS schema_migrations (name String, checksum String, applied_at DateTime64(3) DEFAULT now64(3))
     ENGINE = MergeTree ORDER BY name`,
  );
  const applied = new Map(
    (await clickhouse.query(appliedMigrations, {})).map((row) => [row.name, row.checksum]),
  );
  const done: string[] = [];
  for (const { name, sql, checksum } of files) {
    const known = applied.get(name);
    if (known === checksum) continue;
    if (known !== undefined) {
      throw new AppError('internal', {
        public: `The migration ${name} was changed after it had been applied. Restore it and write a new one.`,
      });
    }
    for (const statement of splitStatements(sql)) await clickhouse.command(statement);
    await clickhouse.insert('schema_migrations', [{ name, checksum }]);
    done.push(name);
  }
  return done;
}

function migrationFiles(dir: string): { name: string; sql: string; checksum: string }[] {
  const names = readdirSync(dir)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  names.forEach((name, index) => {
    if (Number(FILE_NAME.exec(name)?.[1]) === index + 1) return;
    throw new AppError('internal', {
      public: `Migration ${name} should be number ${index + 1}, as NNNN_name.sql.`,
    });
  });
  return names.map((name) => {
    const sql = readFileSync(join(dir, name), 'utf8');
    return { name, sql, checksum: contentHash(sql) };
  });
}
