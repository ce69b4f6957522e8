/** What a stage of the turn is: evidence in, evidence out. A stage may be run again after a kill and must then change nothing. */
import type { Cycle, CycleStageName } from '#contracts/cycle';
import type { Recipe } from '#contracts/recipe';
import type { CycleChange } from './cycles.repository.js';

export interface StageContext {
  cycle: Cycle;
  recipe: Recipe;
  /** Fencing number of this attempt of the turn. */
  fencing: number;
  signal: AbortSignal;
  /** Evidence of an earlier, finished stage. @throws when it is not done: a wrong order is a bug. */
  evidence<T>(name: CycleStageName): T;
  /** Shown live; `progress` is a share 0..1 or null. */
  say(summary: string, progress?: number | null): Promise<void>;
}

export interface StageResult {
  state: 'done' | 'skipped';
  summary: string;
  evidence: unknown;
  /** Other members of the turn that this stage settles. */
  change?: Pick<CycleChange, 'trainingRunId' | 'candidateId' | 'gateReportId'>;
  /** Ends the turn here. */
  verdict?: { verdict: NonNullable<Cycle['verdict']>; reason: string };
}

export abstract class Stage {
  abstract readonly name: CycleStageName;
  abstract run(context: StageContext): Promise<StageResult>;
}

/** All stages in order; a provider token. */
export class Stages {
  constructor(readonly all: readonly Stage[]) {}
}
