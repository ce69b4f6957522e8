import { Injectable } from '@nestjs/common';
import { CYCLE_JOB, CycleJob } from '#contracts/cycle';
import { AppError } from '#kernel/errors';
import { Training } from '#loop/training';
import { JobStore, type Job } from '#platform/queue';
import { CyclesRepository, type StoredCycle } from './cycles.repository.js';
import { trainingRunId } from './domain/stages.js';
import { Turn } from './turn.js';

/**
 * Ends turns whose job is over while they are not: a job that lost its worker at every allowed attempt is taken by nobody
 * again, and its turn must not read "running" for ever.
 */
@Injectable()
export class AbandonedTurns {
  constructor(
    private readonly repository: CyclesRepository,
    private readonly jobs: JobStore,
    private readonly turn: Turn,
    private readonly training: Training,
  ) {}

  /** Returns how many it ended. */
  async end(): Promise<number> {
    const open = await this.repository.openEverywhere();
    let ended = 0;
    for (const stored of open) {
      const job = await this.endedJobOf(stored);
      if (job === undefined) continue;
      const why = job.error?.message ?? `Its job was ${job.state}.`;
      await this.turn.abandon(stored, why);
      await this.abandonRun(stored, why);
      ended += 1;
    }
    return ended;
  }

  private async endedJobOf({ cycle }: StoredCycle): Promise<Job | undefined> {
    const { projectId } = cycle;
    const jobs = await this.jobs.list({ projectId, kind: CYCLE_JOB, states: ['failed', 'cancelled'] });
    return jobs.find((job) => CycleJob.parse(job.payload).cycleId === cycle.id);
  }

  private async abandonRun(stored: StoredCycle, why: string): Promise<void> {
    try {
      await this.training.abandon(stored.cycle.projectId, trainingRunId(stored.cycle.id), why);
    } catch (error) {
      // The turn was given up before it trained.
      if (!(error instanceof AppError) || error.code !== 'resource.not_found') throw error;
    }
  }
}
