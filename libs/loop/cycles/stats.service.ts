import { Injectable } from '@nestjs/common';
import { EvalCases, EvalSuites } from '#loop/evals';
import { Registry } from '#loop/registry';
import { Training } from '#loop/training';
import { Trajectories, type TrajectoryStats } from '#loop/trajectories';
import { Triage } from '#loop/triage';

export interface Stats extends TrajectoryStats {
  failures: number;
  buckets: number;
  evalCases: number;
  trainingRuns: number;
  adapters: number;
}

/** The control state's part of the counts. */
@Injectable()
export class LoopCounts {
  constructor(
    private readonly cases: EvalCases,
    private readonly suites: EvalSuites,
    private readonly training: Training,
    private readonly registry: Registry,
  ) {}

  async of(projectId: string): Promise<Pick<Stats, 'evalCases' | 'trainingRuns' | 'adapters'>> {
    const [frozen, drawn, trainingRuns, adapters] = await Promise.all([
      this.cases.count(projectId),
      this.suites.caseCount(projectId),
      this.training.count(projectId),
      this.registry.countAdapters(projectId),
    ]);
    return { evalCases: frozen + drawn, trainingRuns, adapters };
  }
}

/** How much there is at each stage of the loop. */
@Injectable()
export class LoopStats {
  constructor(
    private readonly trajectories: Trajectories,
    private readonly triage: Triage,
    private readonly counts: LoopCounts,
  ) {}

  async of(projectId: string): Promise<Stats> {
    const [trajectories, triage, rest] = await Promise.all([
      this.trajectories.stats(projectId),
      this.triage.counts(projectId),
      this.counts.of(projectId),
    ]);
    return { ...trajectories, ...triage, ...rest };
  }
}
