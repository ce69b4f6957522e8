import { Injectable } from '@nestjs/common';
import { LoadHints } from '#loop/serving';
import { Training, type TrainingPlan, type TrainingRun } from '#loop/training';
import { trainingRunId } from '../domain/stages.js';
import { CycleSettings, TrainerProvider } from '../settings.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import { TrainingPlaces } from '../training-places.js';
import type { SuitesEvidence, TrainingEvidence } from './evidence-types.js';

/** Trains on the failed kinds plus traffic, in the environment of this app, with checkpoint evals on validation. */
@Injectable()
export class TrainingStage extends Stage {
  readonly name = 'training';

  constructor(
    private readonly training: Training,
    private readonly places: TrainingPlaces,
    private readonly hints: LoadHints,
    private readonly trainers: TrainerProvider,
    private readonly settings: CycleSettings,
  ) {
    super();
  }

  async run(context: StageContext): Promise<StageResult> {
    const { cycle, recipe, fencing, signal, evidence, say } = context;
    const { environmentId, failedSlices } = evidence<SuitesEvidence>('suites');
    const { plan } = evidence<{ plan: TrainingPlan }>('plan');
    const tasks = await this.places.tasks(context, environmentId, failedSlices);
    const manifest = [
      ...new Set([...tasks.train, ...tasks.validation].map((task) => task.lineageKey)),
    ].sort();
    const id = trainingRunId(cycle.id);
    await this.training.create({
      id,
      projectId: cycle.projectId,
      cycleId: cycle.id,
      agent: cycle.agent,
      recipe,
      seed: cycle.seed,
      plan,
      manifest,
    });
    const trainer = await this.trainers.prepare(() => undefined);
    const timer = setInterval(() => void this.report(context, id).catch(() => clearInterval(timer)), 1_000);
    await say('starting the trainer');
    const { homeDir, threads, limits } = this.settings.options;
    const inputs = {
      homeDir,
      threads,
      trainer,
      tasks,
      ...(await this.places.of(context, environmentId)),
      ...(limits ? { limits } : {}),
    };
    let run: TrainingRun;
    try {
      run = await this.hints.during('training', () =>
        this.training.execute(cycle.projectId, id, fencing, inputs, signal),
      );
    } finally {
      clearInterval(timer);
    }
    signal.throwIfAborted();
    return this.resultOf(run);
  }

  private resultOf(run: TrainingRun): StageResult {
    const change = { trainingRunId: run.id };
    if (run.state !== 'succeeded' || run.result === null) {
      const reason = `Training failed (${run.error?.kind ?? run.state}): ${run.error?.reason ?? 'no reason given'}`;
      return {
        state: 'done',
        summary: reason,
        evidence: { runId: run.id, error: run.error },
        change,
        verdict: { verdict: 'failed', reason },
      };
    }
    const evidence: TrainingEvidence = { runId: run.id, attempt: run.attempt, ...run.result };
    const summary = `checkpoint ${run.result.chosenStep} chosen on validation after ${run.result.trainSeconds.toFixed(0)} s of training`;
    return { state: 'done', summary, evidence, change };
  }

  private async report({ cycle, say }: StageContext, id: string): Promise<void> {
    const events = await this.training.events(cycle.projectId, id, 0, 5_000);
    const last = events.findLast(({ event }) => event.type === 'step')?.event;
    if (last?.type !== 'step') return;
    await say(`step ${last.step} of ${last.steps}, reward ${last.reward.toFixed(2)}`, last.step / last.steps);
  }
}
