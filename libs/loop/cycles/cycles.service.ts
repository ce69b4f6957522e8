import { Injectable } from '@nestjs/common';
import { CYCLE_JOB, CycleJob, type Cycle } from '#contracts/cycle';
import type { Recipe } from '#contracts/recipe';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { JobStore } from '#platform/queue';
import { IdSource } from '#platform/runtime';
import { CyclesRepository } from './cycles.repository.js';
import { freshStages } from './domain/stages.js';

export interface NewCycle {
  projectId: string;
  agent: string;
  recipe: Recipe;
  trigger: Cycle['trigger'];
  seed: number | null;
  /** The same key starts one turn only. */
  idempotencyKey: string | null;
}

/** Turns of the loop on demand and by schedule; the work is a job whose truth is its row. */
@Injectable()
export class Cycles {
  constructor(
    private readonly repository: CyclesRepository,
    private readonly jobs: JobStore,
    private readonly ids: IdSource,
    private readonly clock: Clock,
  ) {}

  /** Queues a turn. A repeated idempotency key answers with the turn it started. */
  async start(request: NewCycle): Promise<Cycle> {
    const { projectId, agent, recipe, trigger, idempotencyKey } = request;
    const id = this.ids.newId();
    const seed = request.seed ?? Number.parseInt(contentHash({ id }, 7), 16);
    const cycle: Cycle = {
      id,
      projectId,
      agent,
      recipe: recipe.name,
      trigger,
      seed,
      state: 'queued',
      verdict: null,
      reason: null,
      stages: freshStages(),
      trainingRunId: null,
      candidateId: null,
      gateReportId: null,
      createdAt: this.clock.now().toISOString(),
      endedAt: null,
    };
    // The row comes first: a worker may take the job the moment it exists.
    await this.repository.insert(cycle, recipe);
    const job = await this.jobs.enqueue({
      projectId,
      kind: CYCLE_JOB,
      idempotencyKey: idempotencyKey ?? id,
      payload: { cycleId: id },
    });
    const started = CycleJob.parse(job.payload).cycleId;
    if (started !== id) await this.repository.remove(projectId, id);
    return this.get(projectId, started);
  }

  /** @throws AppError resource.not_found */
  async get(projectId: string, id: string): Promise<Cycle> {
    const stored = await this.repository.find(projectId, id);
    if (stored) return stored.cycle;
    throw new AppError('resource.not_found', { public: `There is no cycle ${id}.` });
  }

  list(projectId: string, page: { limit: number; before: string | null }): Promise<Cycle[]> {
    return this.repository.list(projectId, page);
  }

  open(projectId: string, agent: string): Promise<Cycle[]> {
    return this.repository.open(projectId, agent);
  }
}
