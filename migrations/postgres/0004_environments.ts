import type { Kysely } from 'kysely';

/**
 * Registered environment versions, the task sets published for them, and the admission of their verifiers. Read paths:
 * versions of a project newest first, task sets of a version, admission by version and verifier.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('environment_versions')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('fidelity', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('facts', 'jsonb', (c) => c.notNull())
    .addColumn('proof', 'jsonb', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('environment_versions_pk', ['project_id', 'id', 'agent'])
    .execute();
  await db.schema
    .createTable('environment_task_sets')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('environment_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('query', 'jsonb', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('environment_task_sets_pk', ['project_id', 'environment_id', 'id'])
    .execute();
  await db.schema
    .createTable('verifier_admissions')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('environment_id', 'text', (c) => c.notNull())
    .addColumn('verifier', 'text', (c) => c.notNull())
    .addColumn('report', 'jsonb', (c) => c.notNull())
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('verifier_admissions_pk', ['project_id', 'environment_id', 'verifier'])
    .execute();
}
