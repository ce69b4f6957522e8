import { sql } from 'kysely';

import { describeOnEachPostgres } from '../../../test/support/postgres.js';
import { isUniqueViolation, jsonb, migratePostgres, Postgres, releaseLease, tryLease } from './index.js';

interface Things {
  things: { project_id: string; id: number; data: unknown; at: Date; total: number; day: string | null };
}

async function withThings(postgres: Postgres) {
  const db = postgres.tables<Things>();
  await sql`CREATE TABLE things (project_id text, id int, data jsonb, at timestamptz, total bigint, day date,
            PRIMARY KEY (project_id, id))`.execute(db);
  return db;
}

const base = {
  project_id: 'p',
  at: new Date('2026-03-29T01:30:00.123Z'),
  total: 9_007_199_254_740_991,
  day: null,
};

describeOnEachPostgres('the state store', (open) => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = await open();
  });

  it('gives back JSON, times and large numbers as they were put in', async () => {
    const db = await withThings(postgres);
    const values: unknown[] = [{ a: [1, null, "it's"] }, ['list', { b: 1 }], 'text', 5, null, []];
    for (const [id, data] of values.entries()) {
      await db
        .insertInto('things')
        .values({ ...base, id, data: jsonb(data), day: '2026-01-31' })
        .execute();
    }
    const rows = await db.selectFrom('things').selectAll().orderBy('id').execute();
    expect(rows.map((row) => row.data)).toEqual(values);
    expect(rows[0]).toMatchObject({ at: base.at, total: base.total, day: '2026-01-31' });
    const { count } = await db
      .selectFrom('things')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(values.length);
    const result = await db
      .updateTable('things')
      .set({ day: null })
      .where('id', '<', 3)
      .executeTakeFirstOrThrow();
    expect(result.numUpdatedRows).toBe(3n);
    const clock = await sql<{
      at: Date;
      plain: Date;
    }>`SELECT now() AS at, timestamp '2026-01-02 03:04:05.678' AS plain`.execute(db);
    expect(clock.rows[0]?.at).toBeInstanceOf(Date);
    expect(clock.rows[0]?.plain.toISOString()).toBe('2026-01-02T03:04:05.678Z');
  });

  it('undoes a transaction that throws, and keeps others out of it', async () => {
    const db = postgres.tables<Things>();
    await db.deleteFrom('things').execute();
    const failing = db.transaction().execute(async (trx) => {
      await trx
        .insertInto('things')
        .values({ ...base, id: 1, data: jsonb(1) })
        .execute();
      throw new Error('no');
    });
    const beside = db
      .insertInto('things')
      .values({ ...base, id: 2, data: jsonb(2) })
      .execute();
    await expect(failing).rejects.toThrow('no');
    await beside;
    const rows = await db.selectFrom('things').select('id').execute();
    expect(rows).toEqual([{ id: 2 }]);
  });

  it('tells a doubled key from any other failure', async () => {
    const db = postgres.tables<Things>();
    const twice = db
      .insertInto('things')
      .values({ ...base, id: 2, data: jsonb(2) })
      .execute();
    expect(isUniqueViolation(await twice.catch((error: unknown) => error))).toBe(true);
    const wrong = sql`SELECT nope`.execute(db);
    expect(isUniqueViolation(await wrong.catch((error: unknown) => error))).toBe(false);
  });

  it('migrates once, and every primary key begins with the project', async () => {
    expect(await migratePostgres(postgres)).toContain('0001_jobs');
    expect(await migratePostgres(postgres)).toEqual([]);
    const { rows } = await sql<{ table_name: string; column_name: string }>`
      SELECT c.relname AS table_name, a.attname AS column_name FROM pg_index i
      JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
      WHERE i.indisprimary AND n.nspname = 'public' AND c.relname NOT LIKE 'kysely_%'`.execute(
      postgres.tables(),
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.filter((row) => row.column_name !== 'project_id')).toEqual([]);
  });

  it('has one leader at a time, whose fencing number grows with every change', async () => {
    await migratePostgres(postgres);
    const first = await tryLease(postgres, 'scheduler', 'a', 60_000);
    expect(first).toMatchObject({ owner: 'a', fencing: 1 });
    expect(await tryLease(postgres, 'scheduler', 'b', 60_000)).toBeUndefined();
    expect(await tryLease(postgres, 'scheduler', 'a', 60_000)).toMatchObject({ fencing: 1 });

    await sql`UPDATE leases SET expires_at = now() - interval '1 second'`.execute(postgres.tables());
    const second = await tryLease(postgres, 'scheduler', 'b', 60_000);
    expect(second).toMatchObject({ owner: 'b', fencing: 2 });
    if (first !== undefined) await releaseLease(postgres, first);
    expect(await tryLease(postgres, 'scheduler', 'c', 60_000)).toBeUndefined();
    if (second !== undefined) await releaseLease(postgres, second);
    expect(await tryLease(postgres, 'scheduler', 'c', 60_000)).toMatchObject({ fencing: 3 });
  });
});

it('says what to do when the server does not answer', async () => {
  const postgres = Postgres.connect({ url: 'postgres://nobody@127.0.0.1:1/none' });
  await expect(postgres.ping()).rejects.toThrow(/RATCHET_DATABASE_URL/);
  await postgres.close();
});
