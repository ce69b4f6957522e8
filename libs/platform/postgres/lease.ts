import { sql } from 'kysely';

import type { Postgres } from './postgres.js';

/** The app itself owns leases, not a project. */
const SYSTEM_PROJECT = 'system';

export interface Lease {
  readonly name: string;
  readonly owner: string;
  /** Grows with every change of owner: a write that carries a smaller one comes from a former leader. */
  readonly fencing: number;
}

/**
 * Takes or renews the lease `name` for `ttlMs` on PostgreSQL's clock; undefined while another owner holds it. A lease by
 * row, since a session lock breaks behind a connection pooler.
 */
export async function tryLease(
  postgres: Postgres,
  name: string,
  owner: string,
  ttlMs: number,
): Promise<Lease | undefined> {
  const { rows } = await sql<{ fencing: number }>`
    INSERT INTO leases (project_id, name, owner, fencing, expires_at)
    VALUES (${SYSTEM_PROJECT}, ${name}, ${owner}, 1, clock_timestamp() + ${ttlMs}::float8 * interval '1 millisecond')
    ON CONFLICT (project_id, name) DO UPDATE SET
      owner = excluded.owner,
      expires_at = excluded.expires_at,
      fencing = CASE WHEN leases.owner = excluded.owner AND leases.expires_at > clock_timestamp()
                     THEN leases.fencing ELSE leases.fencing + 1 END
    WHERE leases.owner = excluded.owner OR leases.expires_at <= clock_timestamp()
    RETURNING fencing`.execute(postgres.tables());
  const fencing = rows[0]?.fencing;
  return fencing === undefined ? undefined : { name, owner, fencing };
}

/** Gives a lease up early; a lease that has passed to another owner is left alone. */
export async function releaseLease(postgres: Postgres, lease: Lease): Promise<void> {
  await sql`
    UPDATE leases SET expires_at = clock_timestamp()
    WHERE project_id = ${SYSTEM_PROJECT} AND name = ${lease.name} AND owner = ${lease.owner} AND fencing = ${lease.fencing}
  `.execute(postgres.tables());
}
