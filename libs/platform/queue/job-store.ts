import { sql, type RawBuilder } from 'kysely';

import { AppError } from '#kernel/errors';
import { jsonb, type Postgres } from '#platform/postgres';
import type { IdSource } from '#platform/runtime';

import type { JobQueue } from './job-queue.js';
import {
  jobFromRow,
  type ClaimedJob,
  type Job,
  type JobClaim,
  type JobError,
  type JobRow,
  type JobState,
} from './job.js';

export interface EnqueueOptions {
  projectId: string;
  kind: string;
  payload: unknown;
  /** A second job of this project and kind with the same key is not made; the first is returned. */
  idempotencyKey?: string | undefined;
  maxAttempts?: number;
}

export interface ClaimOptions {
  kinds: readonly string[];
  owner: string;
  leaseMs: number;
}

export interface ListOptions {
  projectId: string;
  kind?: string;
  states?: readonly JobState[];
  limit?: number;
}

/** All claims and leases go by PostgreSQL's clock, so that the clocks of workers need not agree. */
const NOW = sql`clock_timestamp()`;

const fromNow = (ms: number): RawBuilder<unknown> =>
  sql`clock_timestamp() + ${ms}::float8 * interval '1 millisecond'`;

/** The jobs table. Every write of a running attempt names its fencing number; one that was replaced is refused. */
export class JobStore {
  constructor(
    private readonly postgres: Postgres,
    private readonly ids: IdSource,
    private readonly queue: JobQueue,
  ) {}

  /** Stores a job and tells the workers of its kind. */
  async enqueue({ projectId, kind, payload, idempotencyKey, maxAttempts = 3 }: EnqueueOptions): Promise<Job> {
    const inserted = await this.rows(sql<JobRow>`
      INSERT INTO jobs (project_id, id, kind, payload, state, max_attempts, idempotency_key)
      VALUES (${projectId}, ${this.ids.newId()}, ${kind}, ${jsonb(payload)}, 'queued', ${maxAttempts}, ${idempotencyKey ?? null})
      ON CONFLICT (project_id, kind, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
      RETURNING *`);
    const job = inserted[0] ?? (await this.byIdempotencyKey(projectId, kind, idempotencyKey));
    if (job.state === 'queued') await this.queue.notify(kind, job.id);
    return job;
  }

  /**
   * Takes the oldest job of these kinds that waits or whose lease ran out, for `leaseMs`. A job that lost its lease at the
   * last allowed attempt ends as failed instead, one that was to be cancelled as cancelled.
   */
  async claim({ kinds, owner, leaseMs }: ClaimOptions): Promise<ClaimedJob | undefined> {
    if (kinds.length === 0) return undefined;
    const ofKinds = sql`kind IN (${sql.join([...kinds])})`;
    await this.rows(sql<JobRow>`
      UPDATE jobs SET state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END,
        finished_at = ${NOW}, updated_at = ${NOW}, lease_until = NULL,
        error = jsonb_build_object('reason', 'lease_expired',
          'message', 'The worker stopped answering at attempt ' || attempt || ' of ' || max_attempts || '.')
      WHERE ${ofKinds} AND state = 'running' AND lease_until <= ${NOW} AND (attempt >= max_attempts OR cancel_requested)
      RETURNING *`);
    const claimed = await this.rows(sql<JobRow>`
      WITH next AS (
        SELECT project_id, id FROM jobs
        WHERE ${ofKinds} AND (state = 'queued' OR (state = 'running' AND lease_until <= ${NOW})) AND run_after <= ${NOW}
        ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
      UPDATE jobs SET state = 'running', owner = ${owner}, attempt = attempt + 1, fencing = fencing + 1,
        lease_until = ${fromNow(leaseMs)}, started_at = coalesce(started_at, ${NOW}), updated_at = ${NOW}, error = NULL
      FROM next WHERE jobs.project_id = next.project_id AND jobs.id = next.id
      RETURNING jobs.*`);
    return claimed[0] as ClaimedJob | undefined;
  }

  /**
   * Extends the lease and, when given, stores progress. The answer says whether somebody asked for the job to be cancelled.
   * @throws AppError `fencing.stale` when the attempt was replaced or the job has ended.
   */
  async heartbeat(
    claim: JobClaim,
    leaseMs: number,
    progress?: unknown,
  ): Promise<{ cancelRequested: boolean }> {
    const keepOrSet = progress === undefined ? sql`progress` : jsonb(progress);
    const job = await this.write(claim, sql`lease_until = ${fromNow(leaseMs)}, progress = ${keepOrSet}`);
    return { cancelRequested: job.cancelRequested };
  }

  /** @throws AppError `fencing.stale` */
  complete(claim: JobClaim, result: unknown = null): Promise<Job> {
    return this.write(claim, sql`state = 'succeeded', result = ${jsonb(result)}, ${ENDED}`);
  }

  /** Ends the attempt: back to the queue after `retryAfterMs` while attempts are left, else failed. @throws AppError `fencing.stale` */
  async fail(claim: JobClaim, error: JobError, retryAfterMs?: number): Promise<Job> {
    if (retryAfterMs === undefined)
      return this.write(claim, sql`state = 'failed', error = ${jsonb(error)}, ${ENDED}`);
    return this.write(
      claim,
      sql`state = CASE WHEN attempt < max_attempts THEN 'queued' ELSE 'failed' END, error = ${jsonb(error)}, lease_until = NULL,
        run_after = ${fromNow(retryAfterMs)}, finished_at = CASE WHEN attempt < max_attempts THEN NULL ELSE ${NOW} END`,
    );
  }

  /** Ends a running attempt as cancelled. @throws AppError `fencing.stale` */
  confirmCancelled(claim: JobClaim): Promise<Job> {
    return this.write(claim, sql`state = 'cancelled', ${ENDED}`);
  }

  /** Gives a running job back unfinished (an orderly shutdown); the attempt does not count. @throws AppError `fencing.stale` */
  async release(claim: JobClaim): Promise<Job> {
    return this.write(claim, sql`state = 'queued', lease_until = NULL, max_attempts = max_attempts + 1`);
  }

  /** Cancels a waiting job at once and asks the worker of a running one; an ended job stays as it is. */
  async cancel(projectId: string, id: string): Promise<Job> {
    await this.rows(sql<JobRow>`
      UPDATE jobs SET cancel_requested = true, updated_at = ${NOW},
        state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END,
        finished_at = CASE WHEN state = 'queued' THEN ${NOW} ELSE finished_at END
      WHERE project_id = ${projectId} AND id = ${id} AND state IN ('queued', 'running') RETURNING *`);
    return this.get(projectId, id);
  }

  /** Throws unless this attempt is still the current one: to be asked before a write elsewhere. @throws AppError `fencing.stale` */
  async assertCurrent(claim: JobClaim): Promise<void> {
    await this.write(claim, sql`owner = owner`);
  }

  /** @throws AppError `resource.not_found` */
  async get(projectId: string, id: string): Promise<Job> {
    const jobs = await this.rows(
      sql<JobRow>`SELECT * FROM jobs WHERE project_id = ${projectId} AND id = ${id}`,
    );
    if (jobs[0] !== undefined) return jobs[0];
    throw new AppError('resource.not_found', { public: `There is no job ${id}.` });
  }

  /** Newest first. */
  list({ projectId, kind, states, limit = 100 }: ListOptions): Promise<Job[]> {
    const ofKind = kind === undefined ? sql`true` : sql`kind = ${kind}`;
    const inState =
      states === undefined || states.length === 0 ? sql`true` : sql`state IN (${sql.join([...states])})`;
    return this.rows(sql<JobRow>`
      SELECT * FROM jobs WHERE project_id = ${projectId} AND ${ofKind} AND ${inState}
      ORDER BY created_at DESC, id DESC LIMIT ${limit}`);
  }

  private async write({ projectId, id, fencing }: JobClaim, changes: RawBuilder<unknown>): Promise<Job> {
    const written = await this.rows(sql<JobRow>`
      UPDATE jobs SET ${changes}, updated_at = ${NOW}
      WHERE project_id = ${projectId} AND id = ${id} AND state = 'running' AND fencing = ${fencing} RETURNING *`);
    if (written[0] !== undefined) return written[0];
    throw new AppError('fencing.stale', {
      public: 'This attempt at the job was replaced or has ended; nothing was written.',
      detail: { jobId: id, fencing },
    });
  }

  private async byIdempotencyKey(projectId: string, kind: string, key: string | undefined): Promise<Job> {
    const jobs = await this.rows(sql<JobRow>`
      SELECT * FROM jobs WHERE project_id = ${projectId} AND kind = ${kind} AND idempotency_key = ${key ?? null}`);
    if (jobs[0] !== undefined) return jobs[0];
    throw new AppError('internal', { public: 'The job could not be stored.', detail: { kind, key } });
  }

  private async rows(query: RawBuilder<JobRow>): Promise<Job[]> {
    return (await query.execute(this.postgres.tables())).rows.map(jobFromRow);
  }
}

const ENDED = sql`lease_until = NULL, finished_at = clock_timestamp()`;
