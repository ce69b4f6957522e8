import type { Kysely } from 'kysely';

/** Turns of the loop. `stages` holds each stage's state and evidence; a restarted turn goes on at the first unfinished one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('cycles')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('recipe', 'jsonb', (c) => c.notNull())
    .addColumn('trigger', 'text', (c) => c.notNull())
    .addColumn('seed', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('verdict', 'text')
    .addColumn('reason', 'text')
    .addColumn('stages', 'jsonb', (c) => c.notNull())
    .addColumn('fencing', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('training_run_id', 'text')
    .addColumn('candidate_id', 'text')
    .addColumn('gate_report_id', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('ended_at', 'timestamptz')
    .addPrimaryKeyConstraint('cycles_pk', ['project_id', 'id'])
    .execute();
}
