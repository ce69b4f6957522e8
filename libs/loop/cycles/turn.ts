import { Injectable } from '@nestjs/common';
import type { Cycle, CycleStageName } from '#contracts/cycle';
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
    return (await this.end(stored, { verdict: 'failed', reason: 'No stage gave a verdict.' })).cycle;
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
      const failed = await this.mark(current, name, {
        state: 'failed',
        endedAt: this.now(),
        summary: outcome.publicMessage,
      });
      this.log.warn('cycle.failed', { cycleId: stored.cycle.id, stage: name, error: outcome });
      const ended = await this.end(failed, {
        verdict: 'failed',
        reason: `${name}: ${outcome.publicMessage}`,
      });
      return { after: ended, over: true };
    }
    const { state, summary, evidence, change = {}, verdict } = outcome;
    const after = await this.mark(
      current,
      name,
      { state, summary, evidence, endedAt: this.now(), progress: 1 },
      change,
    );
    if (verdict === undefined) return { after, over: false };
    return { after: await this.end(after, verdict), over: true };
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

  private async end(
    stored: StoredCycle,
    end: { verdict: NonNullable<Cycle['verdict']>; reason: string },
  ): Promise<StoredCycle> {
    const pending = stored.cycle.stages.map((stage) =>
      stage.state === 'pending' ? { ...stage, state: 'skipped' as const } : stage,
    );
    const state = end.verdict === 'failed' ? 'failed' : 'done';
    return this.repository.update(stored, {
      ...end,
      state,
      stages: pending,
      endedAt: this.now(),
    });
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
