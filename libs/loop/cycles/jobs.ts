import { Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';
import { CYCLE_JOB, CycleJob } from '#contracts/cycle';
import { JobQueue, JobStore, JobWorker } from '#platform/queue';
import { IdSource } from '#platform/runtime';
import { Log } from '#platform/telemetry';
import { Turn } from './turn.js';

/** A killed worker's turn is taken up again when its lease ends. */
const LEASE_MS = 15_000;

/** Works turns off, one at a time: they share the trainer and the policy server. */
@Injectable()
export class CycleWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly worker: JobWorker;

  constructor(turn: Turn, store: JobStore, queue: JobQueue, ids: IdSource, log: Log) {
    this.worker = new JobWorker({
      store,
      queue,
      owner: `cycles-${ids.newId()}`,
      leaseMs: LEASE_MS,
      onError: (event, fields) => log.error(event, fields),
    }).handle(CYCLE_JOB, async (job, { signal }) => {
      const { cycleId } = CycleJob.parse(job.payload);
      const cycle = await turn.run(job.projectId, cycleId, job.fencing, signal);
      return { verdict: cycle.verdict };
    });
  }

  onApplicationBootstrap(): void {
    this.worker.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker.stop();
  }
}
