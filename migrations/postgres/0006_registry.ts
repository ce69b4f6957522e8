import { sql, type Kysely } from 'kysely';

/** Gate reports, candidates, who serves, and the audit of every move. One production candidate an agent, by compare-and-set. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createReports(db);
  await createCandidates(db);
  await createServing(db);
}

async function createReports(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('gate_reports')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('candidate_id', 'text', (c) => c.notNull())
    .addColumn('cycle_id', 'text')
    .addColumn('verdict', 'text', (c) => c.notNull())
    .addColumn('report', 'jsonb', (c) => c.notNull())
    .addColumn('policy', 'jsonb', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('gate_reports_pk', ['project_id', 'id'])
    .execute();
}

async function createCandidates(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('candidates')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('policy_name', 'text', (c) => c.notNull())
    .addColumn('agent_ref', 'jsonb', (c) => c.notNull())
    .addColumn('agent_ref_digest', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('parent_id', 'text')
    .addColumn('run_id', 'text')
    .addColumn('cycle_id', 'text')
    .addColumn('adapter_dir', 'text')
    .addColumn('admission', 'jsonb')
    .addColumn('gate_report_id', 'text')
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('candidates_pk', ['project_id', 'id'])
    .execute();
}

async function createServing(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('agents')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('production_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull().defaultTo(1))
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('agents_pk', ['project_id', 'agent'])
    .execute();
  await db.schema
    .createTable('registry_events')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('candidate_id', 'text', (c) => c.notNull())
    .addColumn('from_state', 'text')
    .addColumn('to_state', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('replaced_id', 'text')
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('registry_events_pk', ['project_id', 'id'])
    .execute();
  await sql`CREATE INDEX IF NOT EXISTS registry_events_by_agent ON registry_events (project_id, agent, at)`.execute(
    db,
  );
}
