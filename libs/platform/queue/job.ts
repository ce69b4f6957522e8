export type JobState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

/** Why a job failed: `reason` is a stable word, `message` may be shown to a person. */
export interface JobError {
  reason: string;
  message: string;
}

export interface Job {
  projectId: string;
  id: string;
  kind: string;
  payload: unknown;
  state: JobState;
  /** From 1 once claimed. */
  attempt: number;
  maxAttempts: number;
  /** Grows with every claim; whoever holds a smaller one has been replaced. */
  fencing: number;
  owner: string | null;
  leaseUntil: Date | null;
  cancelRequested: boolean;
  progress: unknown;
  result: unknown;
  error: JobError | null;
  idempotencyKey: string | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** What identifies one attempt at a job: carried by everything that the attempt writes. */
export interface JobClaim {
  readonly projectId: string;
  readonly id: string;
  readonly fencing: number;
}

export type ClaimedJob = Job & { state: 'running'; owner: string };

export function isEnded(state: JobState): boolean {
  return state === 'succeeded' || state === 'failed' || state === 'cancelled';
}

/** A row of `jobs` as both stores give it back. */
export interface JobRow {
  project_id: string;
  id: string;
  kind: string;
  payload: unknown;
  state: JobState;
  attempt: number;
  max_attempts: number;
  fencing: number;
  owner: string | null;
  lease_until: Date | null;
  cancel_requested: boolean;
  progress: unknown;
  result: unknown;
  error: JobError | null;
  idempotency_key: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
}

export function jobFromRow(row: JobRow): Job {
  return {
    projectId: row.project_id,
    id: row.id,
    kind: row.kind,
    payload: row.payload,
    state: row.state,
    attempt: row.attempt,
    maxAttempts: row.max_attempts,
    fencing: row.fencing,
    owner: row.owner,
    leaseUntil: row.lease_until,
    cancelRequested: row.cancel_requested,
    progress: row.progress,
    result: row.result,
    error: row.error,
    idempotencyKey: row.idempotency_key,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
