import { sql, type Kysely } from 'kysely';

/**
 * Eval cases, suites, readings and runs. Read paths: cases of an agent newest first, suites of an agent and kind newest
 * first, cases of a suite in order, runs by id. Held-out payloads are in `sealed` (encrypted), all others in `payload`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createCases(db);
  await createSuites(db);
  await createRuns(db);
}

async function createCases(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('eval_cases')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('bucket_id', 'text', (c) => c.notNull())
    .addColumn('trajectory_id', 'text', (c) => c.notNull())
    .addColumn('lineage_key', 'text', (c) => c.notNull())
    .addColumn('family', 'text', (c) => c.notNull())
    .addColumn('slice', 'text', (c) => c.notNull())
    .addColumn('split', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('note', 'text', (c) => c.notNull())
    .addColumn('payload', 'jsonb')
    .addColumn('sealed', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('eval_cases_pk', ['project_id', 'id'])
    .execute();
  await db.schema
    .createIndex('eval_cases_by_agent')
    .ifNotExists()
    .on('eval_cases')
    .columns(['project_id', 'agent', 'status'])
    .execute();
}

async function createSuites(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('eval_suites')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('environment_id', 'text', (c) => c.notNull())
    .addColumn('split', 'text', (c) => c.notNull())
    .addColumn('spec', 'jsonb', (c) => c.notNull())
    .addColumn('spec_digest', 'text', (c) => c.notNull())
    .addColumn('case_count', 'integer', (c) => c.notNull())
    .addColumn('lineage_keys', 'jsonb', (c) => c.notNull())
    .addColumn('reading_budget', 'integer', (c) => c.notNull())
    .addColumn('retired_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('eval_suites_pk', ['project_id', 'id'])
    .addUniqueConstraint('eval_suites_version', ['project_id', 'agent', 'kind', 'split', 'version'])
    .execute();
  await db.schema
    .createTable('eval_suite_cases')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('suite_id', 'text', (c) => c.notNull())
    .addColumn('case_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('lineage_key', 'text', (c) => c.notNull())
    .addColumn('slice', 'text', (c) => c.notNull())
    .addColumn('bucket_ids', 'jsonb', (c) => c.notNull().defaultTo(sql`'[]'::jsonb`))
    .addColumn('payload', 'jsonb')
    .addColumn('sealed', 'text')
    .addPrimaryKeyConstraint('eval_suite_cases_pk', ['project_id', 'suite_id', 'case_id'])
    .execute();
  await db.schema
    .createTable('eval_suite_readings')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('suite_id', 'text', (c) => c.notNull())
    .addColumn('verdict_id', 'text', (c) => c.notNull())
    .addColumn('read_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('eval_suite_readings_pk', ['project_id', 'suite_id', 'verdict_id'])
    .execute();
}

async function createRuns(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('eval_runs')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('suite_id', 'text')
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('arms', 'jsonb', (c) => c.notNull())
    .addColumn('repeats', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('fencing', 'bigint', (c) => c.notNull())
    .addColumn('summary', 'jsonb')
    .addColumn('error', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('ended_at', 'timestamptz')
    .addPrimaryKeyConstraint('eval_runs_pk', ['project_id', 'id'])
    .execute();
}
