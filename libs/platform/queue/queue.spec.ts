import { sql } from 'kysely';

import { AppError } from '#kernel/errors';
import { migratePostgres, type Postgres } from '#platform/postgres';
import { IdSource, SystemClock } from '#platform/runtime';

import { eventually } from '../../../test/support/eventually.js';
import { describeOnEachPostgres } from '../../../test/support/postgres.js';
import { describeOnEachQueue } from '../../../test/support/queues.js';
import {
  JobStore,
  JobWorker,
  RetryableJobError,
  type ClaimedJob,
  type Job,
  type JobHandler,
  type JobQueue,
} from './index.js';

const ids = new IdSource(new SystemClock());

describeOnEachQueue('jobs with notices', (openQueue) => {
  describeOnEachPostgres('jobs', (open) => jobSuite(open, openQueue));
});

function jobSuite(open: () => Promise<Postgres>, openQueue: () => JobQueue): void {
  let postgres: Postgres;
  let store: JobStore;
  let queue: JobQueue;
  const workers: JobWorker[] = [];

  beforeAll(async () => {
    postgres = await open();
    await migratePostgres(postgres);
    queue = openQueue();
    store = new JobStore(postgres, ids, queue);
  });

  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  });

  const newKind = (): string => `kind-${ids.newId()}`;
  const enqueue = (
    kind: string,
    extra: { idempotencyKey?: string; maxAttempts?: number } = {},
  ): Promise<Job> => store.enqueue({ projectId: 'p', kind, payload: { n: 1 }, ...extra });
  const claim = (kind: string, owner = 'w1'): Promise<ClaimedJob | undefined> =>
    store.claim({ kinds: [kind], owner, leaseMs: 60_000 });
  const mustClaim = async (kind: string, owner = 'w1'): Promise<ClaimedJob> => {
    const job = await claim(kind, owner);
    if (job === undefined) throw new Error('nothing to claim');
    return job;
  };
  const expireLease = (job: Job) =>
    sql`UPDATE jobs SET lease_until = now() - interval '1 second' WHERE id = ${job.id}`.execute(
      postgres.tables(),
    );
  const startWorker = (kind: string, handler: JobHandler, leaseMs = 30_000): JobWorker => {
    const worker = new JobWorker({ store, queue, owner: ids.newId(), leaseMs, pollMs: 60_000 }).handle(
      kind,
      handler,
    );
    workers.push(worker);
    worker.start();
    return worker;
  };
  const endOf = (job: Job, state: Job['state']): Promise<Job> =>
    eventually(`job is ${state}`, async () => {
      const now = await store.get(job.projectId, job.id);
      return now.state === state ? now : undefined;
    });

  it('are made once per idempotency key and project', async () => {
    const kind = newKind();
    const first = await enqueue(kind, { idempotencyKey: 'k' });
    expect((await enqueue(kind, { idempotencyKey: 'k' })).id).toBe(first.id);
    const elsewhere = await store.enqueue({ projectId: 'q', kind, payload: null, idempotencyKey: 'k' });
    expect(elsewhere.id).not.toBe(first.id);
    expect(await store.list({ projectId: 'p', kind })).toHaveLength(1);
  });

  it('are claimed by one worker each, oldest first', async () => {
    const kind = newKind();
    const made = [await enqueue(kind), await enqueue(kind), await enqueue(kind)];
    const claimed = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => claim(kind, owner)));
    const taken = claimed.filter((job) => job !== undefined);
    expect(new Set(taken.map((job) => job.id))).toEqual(new Set(made.map((job) => job.id)));
    expect(taken.every((job) => job.state === 'running' && job.attempt === 1 && job.fencing === 1)).toBe(
      true,
    );
  });

  it('pass to another worker when the lease runs out, and the old one cannot write any more', async () => {
    const kind = newKind();
    await enqueue(kind);
    const old = await mustClaim(kind, 'old');
    expect(await claim(kind, 'early')).toBeUndefined();
    await expireLease(old);
    const current = await mustClaim(kind, 'new');
    expect(current).toMatchObject({ id: old.id, attempt: 2, fencing: 2, owner: 'new' });

    const writes = [
      store.heartbeat(old, 1_000, { step: 9 }),
      store.complete(old, 'late'),
      store.fail(old, { reason: 'x', message: 'x' }),
      store.release(old),
      store.assertCurrent(old),
    ];
    for (const write of writes) await expect(write).rejects.toMatchObject({ code: 'fencing.stale' });
    await store.heartbeat(current, 60_000, { step: 1 });
    expect(await store.complete(current, { ok: true })).toMatchObject({
      state: 'succeeded',
      result: { ok: true },
      progress: { step: 1 },
    });
    await expect(store.complete(current)).rejects.toBeInstanceOf(AppError);
  });

  it('end as failed with a reason when every allowed attempt lost its lease', async () => {
    const kind = newKind();
    const job = await enqueue(kind, { maxAttempts: 2 });
    for (let attempt = 0; attempt < 2; attempt++) await expireLease(await mustClaim(kind));
    expect(await claim(kind)).toBeUndefined();
    expect(await store.get('p', job.id)).toMatchObject({
      state: 'failed',
      error: { reason: 'lease_expired', message: 'The worker stopped answering at attempt 2 of 2.' },
    });
  });

  it('are cancelled at once while they wait', async () => {
    const kind = newKind();
    const job = await enqueue(kind);
    expect(await store.cancel('p', job.id)).toMatchObject({ state: 'cancelled' });
    expect(await claim(kind)).toBeUndefined();
    await expect(store.get('other-project', job.id)).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('run on a notice, with progress and a result', async () => {
    const kind = newKind();
    startWorker(kind, async (job, { progress }) => {
      await progress({ half: true });
      return { doubled: (job.payload as { n: number }).n * 2 };
    });
    const done = await endOf(await enqueue(kind), 'succeeded');
    expect(done).toMatchObject({ result: { doubled: 2 }, progress: { half: true } });
  });

  it('fail with the error of their handler, and are tried again only when it says so', async () => {
    const [plain, retried] = [newKind(), newKind()];
    startWorker(plain, () => Promise.reject(new AppError('training.unavailable', { public: 'No Python.' })));
    expect((await endOf(await enqueue(plain), 'failed')).error).toEqual({
      reason: 'training.unavailable',
      message: 'No Python.',
    });

    const job = await enqueue(retried);
    startWorker(retried, (claimed) =>
      claimed.attempt === 1 ? Promise.reject(new RetryableJobError('busy', 0)) : Promise.resolve('second'),
    );
    await eventually('the first attempt is over', async () => (await store.get('p', job.id)).attempt >= 1);
    expect(await endOf(job, 'succeeded')).toMatchObject({ attempt: 2, result: 'second', error: null });
  });

  it('are aborted at a cancel request and end as cancelled', async () => {
    const kind = newKind();
    startWorker(kind, (_job, { signal }) => untilAborted(signal), 90);
    const job = await enqueue(kind);
    await endOf(job, 'running');
    await store.cancel('p', job.id);
    expect(await endOf(job, 'cancelled')).toMatchObject({ cancelRequested: true });
  });

  it('go back to the queue when their worker is stopped, and the attempt does not count', async () => {
    const kind = newKind();
    const worker = startWorker(kind, (_job, { signal }) => untilAborted(signal));
    const job = await enqueue(kind, { maxAttempts: 1 });
    await endOf(job, 'running');
    await worker.stop();
    expect(await store.get('p', job.id)).toMatchObject({ state: 'queued', attempt: 1, maxAttempts: 2 });
    startWorker(kind, () => Promise.resolve('again'));
    expect(await endOf(job, 'succeeded')).toMatchObject({ attempt: 2, fencing: 2 });
  });
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
}
