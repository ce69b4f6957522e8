import { sql, type Kysely } from 'kysely';

/** Training runs and the events of their attempts. Read paths: run by id, runs of a project newest first, events in order. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('training_runs')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('cycle_id', 'text')
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('recipe', 'jsonb', (c) => c.notNull())
    .addColumn('seed', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('fencing', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('plan', 'jsonb')
    .addColumn('manifest', 'jsonb', (c) => c.notNull().defaultTo(sql`'[]'::jsonb`))
    .addColumn('result', 'jsonb')
    .addColumn('error', 'jsonb')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('ended_at', 'timestamptz')
    .addPrimaryKeyConstraint('training_runs_pk', ['project_id', 'id'])
    .execute();
  await db.schema
    .createTable('training_events')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('run_id', 'text', (c) => c.notNull())
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('event', 'jsonb', (c) => c.notNull())
    .addPrimaryKeyConstraint('training_events_pk', ['project_id', 'run_id', 'attempt', 'seq'])
    .execute();
}
