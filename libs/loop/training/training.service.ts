import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { EnvironmentTask } from '#contracts/environment';
import type { Recipe } from '#contracts/recipe';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { Log } from '#platform/telemetry';
import { renderJob, trainerRow, type JobPlaces } from './domain/job.js';
import type { TrainingPlan } from './domain/plan.js';
import type { WatchdogLimits } from './domain/watchdog.js';
import { runTrainer, type TrainerCommand, type TrainerEnd } from './trainer-process.js';
import { TrainingRepository, type TrainingRun } from './training.repository.js';

export interface NewRun {
  id: string;
  projectId: string;
  cycleId: string | null;
  agent: string;
  recipe: Recipe;
  seed: number;
  plan: TrainingPlan | null;
  manifest: string[];
}

export interface RunInputs {
  homeDir: string;
  trainer: TrainerCommand;
  base: { path: string; revision: string };
  environment: JobPlaces['environment'];
  tasks: { train: EnvironmentTask[]; validation: EnvironmentTask[] };
  servingTemperature: number;
  threads: number;
  limits?: WatchdogLimits;
}

/** Training runs: the row is the truth, an attempt is a process, and every end has a name. */
@Injectable()
export class Training {
  constructor(
    private readonly repository: TrainingRepository,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Creates the run, once per id. */
  async create(run: NewRun): Promise<TrainingRun> {
    await this.repository.insertIfAbsent({
      ...run,
      state: 'queued',
      attempt: 0,
      fencing: 0,
      result: null,
      error: null,
      createdAt: this.clock.now().toISOString(),
      endedAt: null,
    });
    return this.get(run.projectId, run.id);
  }

  /** @throws AppError resource.not_found */
  async get(projectId: string, id: string): Promise<TrainingRun> {
    const run = await this.repository.find(projectId, id);
    if (run) return run;
    throw new AppError('resource.not_found', { public: `There is no training run ${id}.` });
  }

  list(projectId: string, page: { limit: number; before: string | null }): Promise<TrainingRun[]> {
    return this.repository.list(projectId, page);
  }

  count(projectId: string): Promise<number> {
    return this.repository.count(projectId);
  }

  events(
    projectId: string,
    runId: string,
    afterSeq: number,
    limit: number,
  ): ReturnType<TrainingRepository['events']> {
    return this.repository.events(projectId, runId, afterSeq, limit);
  }

  /**
   * Runs one attempt under a fencing number to its end; a run that succeeded before is not run again.
   * @throws AppError fencing.stale when a later attempt took over meanwhile.
   */
  async execute(
    projectId: string,
    id: string,
    fencing: number,
    inputs: RunInputs,
    signal: AbortSignal,
  ): Promise<TrainingRun> {
    const before = await this.get(projectId, id);
    if (before.state === 'succeeded') return before;
    const run = await this.repository.beginAttempt(projectId, id, fencing);
    const { jobPath, job } = await this.writeJob(run, inputs);
    let seq = 0;
    const end = await runTrainer(inputs.trainer, {
      job,
      jobPath,
      homeDir: inputs.homeDir,
      signal,
      clock: this.clock,
      ...(inputs.limits ? { limits: inputs.limits } : {}),
      onEvent: (event) => this.repository.appendEvent(run, (seq += 1), event),
      onLog: (line) => this.log.debug('training.output', { runId: run.id, line }),
    });
    await this.record(run, end);
    return this.get(projectId, id);
  }

  /** Ends a run that nobody will take up again; one that has ended stays as it is. */
  async abandon(projectId: string, id: string, reason: string): Promise<void> {
    const run = await this.get(projectId, id);
    if (run.state !== 'queued' && run.state !== 'running') return;
    const error = { kind: 'abandoned', reason };
    await this.repository.end(run, { state: 'failed', result: null, error, at: this.clock.now() });
  }

  private async record(run: TrainingRun, end: TrainerEnd): Promise<void> {
    const at = this.clock.now();
    if (end.state === 'succeeded') {
      const { adapterDir, chosenStep, deltaNorm, trainSeconds } = end.done;
      const result = { adapterDir, chosenStep, deltaNorm, trainSeconds };
      await this.repository.end(run, { state: 'succeeded', result, error: null, at });
      return;
    }
    // A cancelled attempt (shutdown) goes back to the queue: the next start takes the run up again.
    if (end.state === 'cancelled') {
      await this.repository.end(run, { state: 'queued', result: null, error: null, at });
      return;
    }
    this.log.warn('training.failed', { runId: run.id, kind: end.kind, reason: end.reason });
    await this.repository.end(run, {
      state: 'failed',
      result: null,
      error: { kind: end.kind, reason: end.reason },
      at,
    });
  }

  private async writeJob(
    run: TrainingRun,
    inputs: RunInputs,
  ): Promise<{ jobPath: string; job: ReturnType<typeof renderJob> }> {
    const dir = join(inputs.homeDir, 'runs', run.id, `attempt-${run.attempt}`);
    await rm(dir, { recursive: true, force: true });
    await mkdir(dir, { recursive: true });
    const trainPath = join(dir, 'train.jsonl');
    const validationPath = join(dir, 'validation.jsonl');
    const lines = (tasks: EnvironmentTask[]): string =>
      tasks.map((task) => `${JSON.stringify(trainerRow(task))}\n`).join('');
    await writeFile(trainPath, lines(inputs.tasks.train));
    await writeFile(validationPath, lines(inputs.tasks.validation));
    const job = renderJob(run.recipe, {
      runId: run.id,
      attempt: run.attempt,
      fencing: run.fencing,
      base: inputs.base,
      environment: inputs.environment,
      trainPath,
      validationPath,
      outputDir: join(dir, 'output'),
      servingTemperature: inputs.servingTemperature,
      threads: inputs.threads,
      seed: run.seed,
    });
    const jobPath = join(dir, 'job.json');
    // The job holds a session token for the environment: for this user's eyes only.
    await writeFile(jobPath, JSON.stringify(job, null, 2), { mode: 0o600 });
    return { jobPath, job };
  }
}
