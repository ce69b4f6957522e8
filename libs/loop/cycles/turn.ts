import { Injectable } from '@nestjs/common';
import type { Cycle, CycleStage, CycleStageName } from '#contracts/cycle';
import { Clock } from '#kernel/clock';
import { AppError, messageOf } from '#kernel/errors';
import { Log } from '#platform/telemetry';
import { CyclesRepository, type CycleChange, type StoredCycle } from './cycles.repository.js';
import { evidenceOf, nextStage, withStage } from './domain/stages.js';
import { Stages, type Stage, type StageContext, type StageResult } from './stage.js';

/** Runs a turn from its first unfinished stage to its verdict. Every write is fenced; a kill at any point is taken up again. */
@Injectable()
export class Turn {
  constructor(
    private readonly repository: CyclesRepository,
    private readonly stages: Stages,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /**
   * @throws AppError fencing.stale when a later attempt took over, and the abort reason on shutdown; the turn then stays
   * as it is and a later attempt goes on.
   */
  async run(projectId: string, cycleId: string, fencing: number, signal: AbortSignal): Promise<Cycle> {
    let stored = await this.repository.takeOver(projectId, cycleId, fencing);
    if (stored.cycle.state === 'done' || stored.cycle.state === 'failed') return stored.cycle;
    for (let name = nextStage(stored.cycle.stages); name !== null; name = nextStage(stored.cycle.stages)) {
      signal.throwIfAborted();
      const { after, over } = await this.runStage(stored, name, signal);
      stored = after;
      if (over) return stored.cycle;
    }
    const unended = { verdict: 'failed', reason: 'No stage gave a verdict.' } as const;
    return (await this.repository.update(stored, this.endOf(stored.cycle.stages, unended))).cycle;
  }

  /** Ends a turn that no attempt will take up again, as failed and with the stage it stopped at. */
  async abandon(stored: StoredCycle, why: string): Promise<Cycle> {
    const at = nextStage(stored.cycle.stages);
    const stages =
      at === null
        ? stored.cycle.stages
        : withStage(stored.cycle.stages, at, { state: 'failed', endedAt: this.now(), summary: why });
    const reason = at === null ? why : `${at}: ${why}`;
    const change = this.endOf(stages, { verdict: 'failed', reason });
    return (await this.repository.update(stored, change)).cycle;
  }

  private async runStage(
    stored: StoredCycle,
    name: CycleStageName,
    signal: AbortSignal,
  ): Promise<{ after: StoredCycle; over: boolean }> {
    const stage = this.stages.all.find((one) => one.name === name);
    if (!stage) throw new AppError('internal', { public: `The turn has no stage ${name}.` });
    let current = await this.mark(stored, name, {
      state: 'running',
      startedAt: this.now(),
      summary: null,
      progress: null,
    });
    const context: StageContext = {
      cycle: current.cycle,
      recipe: current.recipe,
      fencing: current.fencing,
      signal,
      evidence: <T>(of: CycleStageName): T => evidenceOf(current.cycle.stages, of) as T,
      say: async (summary, progress = null) => {
        current = await this.mark(current, name, { summary, progress });
      },
    };
    const outcome = await this.attempt(stage, context, signal);
    if (outcome instanceof AppError) {
      this.log.warn('cycle.failed', { cycleId: stored.cycle.id, stage: name, error: outcome });
      const summary = outcome.publicMessage;
      const stages = withStage(current.cycle.stages, name, {
        state: 'failed',
        endedAt: this.now(),
        summary,
      });
      const failed = this.endOf(stages, { verdict: 'failed', reason: `${name}: ${summary}` });
      const ended = await this.repository.update(current, failed);
      return { after: ended, over: true };
    }
    const { state, summary, evidence, change = {}, verdict } = outcome;
    const stageEnd = { state, summary, evidence, endedAt: this.now(), progress: 1 };
    const stages = withStage(current.cycle.stages, name, stageEnd);
    // The stage's end and its verdict are one write: killed between two, a later attempt would go on past a verdict.
    const ending = verdict === undefined ? { stages } : this.endOf(stages, verdict);
    const after = await this.repository.update(current, { ...change, ...ending });
    return { after, over: verdict !== undefined };
  }

  /** A stage's failure is data of the turn; losing the lease or shutting down is not. */
  private async attempt(
    stage: Stage,
    context: StageContext,
    signal: AbortSignal,
  ): Promise<StageResult | AppError> {
    try {
      return await stage.run(context);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof AppError && error.code === 'fencing.stale') throw error;
      if (error instanceof AppError) return error;
      return new AppError('internal', { public: `Unexpected: ${messageOf(error)}`, cause: error });
    }
  }

  private mark(
    stored: StoredCycle,
    name: CycleStageName,
    stage: Parameters<typeof withStage>[2],
    change: CycleChange = {},
  ): Promise<StoredCycle> {
    return this.repository.update(stored, { ...change, stages: withStage(stored.cycle.stages, name, stage) });
  }

  private endOf(
    stages: readonly CycleStage[],
    end: { verdict: NonNullable<Cycle['verdict']>; reason: string },
  ): CycleChange {
    const over = stages.map((stage) =>
      stage.state === 'pending' ? { ...stage, state: 'skipped' as const } : stage,
    );
    return {
      ...end,
      state: end.verdict === 'failed' ? 'failed' : 'done',
      stages: over,
      endedAt: this.now(),
    };
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
