import { sql, type Kysely } from 'kysely';

/**
 * Buckets, and the map of clusters to them. Read paths: buckets of a project newest first, clusters by id, clusters of a
 * bucket. A merge or split edits the map alone, and leaves a numbered row in `bucket_map_edits`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createBuckets(db);
  await createMap(db);
}

async function createBuckets(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('buckets')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('agent', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('owner', 'text')
    .addColumn('fixed_at', 'timestamptz')
    .addColumn('policies_before', 'jsonb', (c) => c.notNull().defaultTo(sql`'[]'::jsonb`))
    .addColumn('created_at', 'timestamptz', (c) => c.notNull())
    .addColumn('updated_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('buckets_pk', ['project_id', 'id'])
    .execute();
  await sql`CREATE INDEX IF NOT EXISTS buckets_by_age ON buckets (project_id, created_at, id)`.execute(db);
}

async function createMap(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bucket_clusters')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('cluster_id', 'text', (c) => c.notNull())
    .addColumn('bucket_id', 'text', (c) => c.notNull())
    .addColumn('category', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addColumn('tool', 'text')
    .addColumn('severity', 'text', (c) => c.notNull())
    .addColumn('map_version', 'integer', (c) => c.notNull())
    .addColumn('mapped_at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('bucket_clusters_pk', ['project_id', 'cluster_id'])
    .execute();
  await sql`CREATE INDEX IF NOT EXISTS bucket_clusters_by_bucket ON bucket_clusters (project_id, bucket_id)`.execute(
    db,
  );
  await db.schema
    .createTable('bucket_map_edits')
    .ifNotExists()
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('edit', 'jsonb', (c) => c.notNull())
    .addColumn('at', 'timestamptz', (c) => c.notNull())
    .addPrimaryKeyConstraint('bucket_map_edits_pk', ['project_id', 'version'])
    .execute();
}
