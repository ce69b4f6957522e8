/**
 * Jobs and leases. Read paths: `queue` (claim, list) and `postgres/lease`. A job's truth is its row: state, lease on
 * PostgreSQL's clock, attempt, and a fencing number that grows with every claim.
 */
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    CREATE TABLE IF NOT EXISTS jobs (
      project_id text NOT NULL,
      id text NOT NULL,
      kind text NOT NULL,
      payload jsonb NOT NULL,
      state text NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
      attempt integer NOT NULL DEFAULT 0,
      max_attempts integer NOT NULL DEFAULT 3,
      fencing bigint NOT NULL DEFAULT 0,
      owner text,
      lease_until timestamptz,
      run_after timestamptz NOT NULL DEFAULT clock_timestamp(),
      cancel_requested boolean NOT NULL DEFAULT false,
      progress jsonb,
      result jsonb,
      error jsonb,
      idempotency_key text,
      created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      started_at timestamptz,
      finished_at timestamptz,
      updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (project_id, id)
    )`.execute(db);
  await sql`
    CREATE UNIQUE INDEX IF NOT EXISTS jobs_idempotency ON jobs (project_id, kind, idempotency_key)
    WHERE idempotency_key IS NOT NULL`.execute(db);
  await sql`
    CREATE INDEX IF NOT EXISTS jobs_claimable ON jobs (kind, created_at) WHERE state IN ('queued', 'running')`.execute(
    db,
  );
  await sql`
    CREATE TABLE IF NOT EXISTS leases (
      project_id text NOT NULL,
      name text NOT NULL,
      owner text NOT NULL,
      fencing bigint NOT NULL,
      expires_at timestamptz NOT NULL,
      PRIMARY KEY (project_id, name)
    )`.execute(db);
}
