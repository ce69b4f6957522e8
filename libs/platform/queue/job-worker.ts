import { AppError, messageOf } from '#kernel/errors';

import type { JobQueue } from './job-queue.js';
import type { JobStore } from './job-store.js';
import type { ClaimedJob, JobError } from './job.js';

/** Thrown by a handler when another attempt may well succeed; any other error ends the job. */
export class RetryableJobError extends Error {
  constructor(
    message: string,
    readonly retryAfterMs = 5_000,
  ) {
    super(message);
    this.name = 'RetryableJobError';
  }
}

export interface JobContext {
  /** Aborted at shutdown, at a cancel request, and when the attempt was replaced. Its reason is one of `JobEnd`. */
  readonly signal: AbortSignal;
  /** Stores what a person sees while the job runs. @throws AppError `fencing.stale` when the attempt was replaced. */
  progress(progress: unknown): Promise<void>;
}

/** Does the work; the returned value becomes the job's result. May run again after a crash: each step is idempotent. */
export type JobHandler = (job: ClaimedJob, context: JobContext) => Promise<unknown>;

type JobEnd = 'shutdown' | 'cancelled' | 'replaced';

export interface JobWorkerOptions {
  store: JobStore;
  queue: JobQueue;
  /** Who holds the leases: unique per process start. */
  owner: string;
  leaseMs?: number;
  /** How often to look without a notice: finds what a lost notice or a dead worker left. */
  pollMs?: number;
  concurrency?: number;
  onError?: (event: string, fields: Record<string, unknown>) => void;
}

/** Claims jobs and runs their handlers, a few at a time, with heartbeats while they run. */
export class JobWorker {
  private readonly options: Required<JobWorkerOptions>;
  private readonly handlers = new Map<string, JobHandler>();
  private readonly running = new Map<string, { aborter: AbortController; done: Promise<void> }>();
  private readonly unsubscribe: (() => void)[] = [];
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;
  private lookAgain = false;
  private isStopped = true;

  constructor(options: JobWorkerOptions) {
    this.options = { leaseMs: 30_000, pollMs: 2_000, concurrency: 1, onError: () => undefined, ...options };
  }

  handle(kind: string, handler: JobHandler): this {
    this.handlers.set(kind, handler);
    return this;
  }

  start(): void {
    this.isStopped = false;
    for (const kind of this.handlers.keys())
      this.unsubscribe.push(this.options.queue.onNotify(kind, () => this.look()));
    this.timer = setInterval(() => this.look(), this.options.pollMs);
    this.look();
  }

  /** Claims nothing more, aborts what runs and waits for it; unfinished jobs go back to the queue. */
  async stop(graceMs = 10_000): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    for (const end of this.unsubscribe.splice(0)) end();
    await this.looking;
    for (const { aborter } of this.running.values()) aborter.abort('shutdown' satisfies JobEnd);
    const all = Promise.all([...this.running.values()].map(({ done }) => done));
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([all, new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
  }

  /** One look at a time; a notice during a look causes another. */
  private look(): void {
    if (this.looking !== undefined) {
      this.lookAgain = true;
      return;
    }
    this.lookAgain = false;
    this.looking = this.claimWhileFree()
      .catch((error: unknown) => this.options.onError('jobs.claimFailed', { error }))
      .finally(() => {
        this.looking = undefined;
        if (this.lookAgain && !this.isStopped) this.look();
      });
  }

  private async claimWhileFree(): Promise<void> {
    const { store, owner, leaseMs, concurrency } = this.options;
    while (!this.isStopped && this.running.size < concurrency) {
      const job = await store.claim({ kinds: [...this.handlers.keys()], owner, leaseMs });
      if (job === undefined) return;
      const aborter = new AbortController();
      const done = this.run(job, aborter).finally(() => {
        this.running.delete(job.id);
        if (!this.isStopped) this.look();
      });
      this.running.set(job.id, { aborter, done });
    }
  }

  private async run(job: ClaimedJob, aborter: AbortController): Promise<void> {
    const heartbeats = setInterval(() => void this.heartbeat(job, aborter), this.options.leaseMs / 3);
    try {
      const result = await this.callHandler(job, aborter);
      await this.options.store.complete(job, result ?? null);
    } catch (error) {
      await this.endBadly(job, aborter.signal, error);
    } finally {
      clearInterval(heartbeats);
    }
  }

  private callHandler(job: ClaimedJob, aborter: AbortController): Promise<unknown> {
    const handler = this.handlers.get(job.kind);
    if (handler === undefined)
      throw new AppError('internal', { public: `Nothing here does jobs of kind ${job.kind}.` });
    return handler(job, {
      signal: aborter.signal,
      progress: (progress) => this.heartbeat(job, aborter, progress),
    });
  }

  private async heartbeat(job: ClaimedJob, aborter: AbortController, progress?: unknown): Promise<void> {
    try {
      const { cancelRequested } = await this.options.store.heartbeat(job, this.options.leaseMs, progress);
      if (cancelRequested) aborter.abort('cancelled' satisfies JobEnd);
    } catch (error) {
      const isStale = error instanceof AppError && error.code === 'fencing.stale';
      if (isStale) aborter.abort('replaced' satisfies JobEnd);
      if (isStale && progress !== undefined) throw error;
      // One failed heartbeat is no loss: the lease outlives two.
      if (!isStale) this.options.onError('jobs.heartbeatFailed', { jobId: job.id, error });
    }
  }

  private async endBadly(job: ClaimedJob, signal: AbortSignal, error: unknown): Promise<void> {
    const { store, onError } = this.options;
    const end = signal.aborted ? (signal.reason as JobEnd) : undefined;
    try {
      if (end === 'replaced' || (error instanceof AppError && error.code === 'fencing.stale')) return;
      if (end === 'shutdown') await store.release(job);
      else if (end === 'cancelled') await store.confirmCancelled(job);
      else if (error instanceof RetryableJobError) await store.fail(job, jobError(error), error.retryAfterMs);
      else await store.fail(job, jobError(error));
      if (end === undefined) onError('jobs.failed', { jobId: job.id, kind: job.kind, error });
    } catch (storeError) {
      // The lease runs out and another attempt follows.
      onError('jobs.endNotStored', { jobId: job.id, error: storeError });
    }
  }
}

function jobError(error: unknown): JobError {
  if (error instanceof AppError) return { reason: error.code, message: error.publicMessage };
  return { reason: error instanceof RetryableJobError ? 'retryable' : 'internal', message: messageOf(error) };
}
