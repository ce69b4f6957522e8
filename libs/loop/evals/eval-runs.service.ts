import { Injectable } from '@nestjs/common';
import type { Split, TaskQuery } from '#contracts/environment';
import type { GateEvidence, PairedCase, SuitePlan } from '#contracts/gate';
import { Arm, type Rollout } from '#contracts/rollout';
import { Clock } from '#kernel/clock';
import { AppError, messageOf } from '#kernel/errors';
import { latencySamples, pairedCases } from './domain/paired-cases.js';
import { measureBaseline, type Baseline } from './domain/rates.js';
import { profileRewards, type RewardProfile } from './domain/reward-profile.js';
import { EvalRunsRepository, type EvalRun } from './eval-runs.repository.js';
import { EvalSuites, type SuiteCase } from './eval-suites.service.js';
import { CaseRunner, type ArmPolicy, type CaseRunRequest, type RunSettings } from './ports.js';
import { SuiteSources } from './suite-sources.js';

/** What is kept of a run beside its rollouts. */
export interface EvalRunSummary {
  byArm: Partial<Record<Arm, Baseline>>;
  profile: RewardProfile | null;
}

interface Attempt {
  projectId: string;
  /** Names the measurement: the same id goes on where an earlier attempt stopped. */
  runId: string;
  fencing: number;
  settings: RunSettings;
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
}

export interface SuiteMeasurement extends Attempt {
  suiteId: string;
  purpose: 'baseline' | 'gate';
  arms: Partial<Record<Arm, ArmPolicy>>;
}

export interface Measurement {
  runId: string;
  suiteId: string;
  suiteVersion: string;
  plan: SuitePlan;
  cases: PairedCase[];
  latency: GateEvidence['latency'];
  byArm: Partial<Record<Arm, Baseline>>;
}

export interface ProfileMeasurement extends Attempt {
  agent: string;
  policy: ArmPolicy;
  tasks: number;
  /** Never held-out: a profile is read while planning. */
  split: Exclude<Split, 'heldout'>;
  slices?: string[];
  /** Generations a prompt of the recipe that is planned. */
  groupSize: number;
}

/** Measurements: of a suite by one policy or several in turns, and of rewards for the plan. Resumable by case. */
@Injectable()
export class EvalRuns {
  constructor(
    private readonly repository: EvalRunsRepository,
    private readonly suites: EvalSuites,
    private readonly sources: SuiteSources,
    private readonly runner: CaseRunner,
    private readonly clock: Clock,
  ) {}

  /** Runs the suite's cases by every arm and returns the gate's form of it. */
  async measure(of: SuiteMeasurement): Promise<Measurement> {
    const suite = await this.suites.get(of.projectId, of.suiteId);
    const cases = await this.suites.opened(of.projectId, of.suiteId);
    const row = {
      suiteId: suite.id,
      purpose: of.purpose,
      agent: suite.agent,
      arms: namesOf(of.arms),
    } as const;
    const rollouts = await this.attempt(of, row, async () => {
      const made = await this.runner.run({
        ...requestOf(of),
        environmentId: suite.environmentId,
        cases,
        arms: of.arms,
      });
      return { made, summary: { byArm: byArm(made), profile: null } };
    });
    return measurementOf(
      of.runId,
      { ...suite, version: `${suite.kind}@${suite.version}`, repeats: of.settings.repeats },
      cases,
      rollouts,
    );
  }

  /**
   * Repeats over tasks that are not held out, for the lightest-fix rule.
   * @throws AppError `resource.conflict` where the agent has no environment.
   */
  async profile(of: ProfileMeasurement): Promise<{ profile: RewardProfile; baseline: Baseline }> {
    const environment = await this.sources.environmentOf(of.projectId, of.agent);
    const drawn = of.slices ? { slices: of.slices } : { suite: 'traffic' as const };
    const query: TaskQuery = { split: of.split, count: of.tasks, seed: of.settings.seed, ...drawn };
    const tasks = await this.sources.draw(of.projectId, environment.id, query);
    const arms = { baseline: of.policy };
    const row = { suiteId: null, purpose: 'profile', agent: of.agent, arms: namesOf(arms) } as const;
    const cases = tasks.map((task) => ({ caseId: task.id, task }));
    const rollouts = await this.attempt(of, row, async () => {
      const made = await this.runner.run({ ...requestOf(of), environmentId: environment.id, cases, arms });
      return { made, summary: { byArm: byArm(made), profile: profileRewards(made, of.groupSize) } };
    });
    return { profile: profileRewards(rollouts, of.groupSize), baseline: measureBaseline(rollouts) };
  }

  /** @throws AppError `resource.not_found` */
  async get(projectId: string, id: string): Promise<EvalRun> {
    const run = await this.repository.find(projectId, id);
    if (run) return run;
    throw new AppError('resource.not_found', { public: `There is no eval run ${id}.` });
  }

  list(projectId: string, page: { limit: number; before: string | null }): Promise<EvalRun[]> {
    return this.repository.list(projectId, page);
  }

  rollouts(projectId: string, runId: string): Promise<Rollout[]> {
    return this.runner.stored(projectId, runId);
  }

  private async attempt(
    of: Attempt,
    row: Pick<EvalRun, 'suiteId' | 'purpose' | 'agent' | 'arms'>,
    work: () => Promise<{ made: Rollout[]; summary: EvalRunSummary }>,
  ): Promise<Rollout[]> {
    const { projectId, runId: id, fencing, settings } = of;
    await this.repository.begin(
      projectId,
      { ...row, id, fencing, repeats: settings.repeats },
      this.clock.now(),
    );
    try {
      const { made, summary } = await work();
      await this.repository.end(
        projectId,
        { id, fencing, state: 'done', summary, error: null },
        this.clock.now(),
      );
      return made;
    } catch (error) {
      // An attempt that was stopped goes on later under the same id; only what really failed is called so.
      if (!of.signal?.aborted && !(error instanceof AppError && error.code === 'fencing.stale')) {
        const end = { id, fencing, state: 'failed', summary: null, error: messageOf(error) } as const;
        await this.repository.end(projectId, end, this.clock.now());
      }
      throw error;
    }
  }
}

function requestOf(of: Attempt): Omit<CaseRunRequest, 'environmentId' | 'cases' | 'arms'> {
  const { projectId, runId, fencing, settings, signal, onProgress } = of;
  return {
    ...settings,
    projectId,
    runId,
    fencing,
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onProgress } : {}),
  };
}

function namesOf(arms: Partial<Record<Arm, ArmPolicy>>): Record<string, string> {
  return Object.fromEntries(Object.entries(arms).map(([arm, policy]) => [arm, policy.model]));
}

function byArm(rollouts: readonly Rollout[]): EvalRunSummary['byArm'] {
  const arms = Arm.options.filter((arm) => rollouts.some((rollout) => rollout.arm === arm));
  return Object.fromEntries(arms.map((arm) => [arm, measureBaseline(rollouts.filter((r) => r.arm === arm))]));
}

function measurementOf(
  runId: string,
  suite: { id: string; version: string; repeats: number },
  cases: readonly SuiteCase[],
  rollouts: readonly Rollout[],
): Measurement {
  const facts = cases.map(({ task: _task, ...fact }) => fact);
  return {
    runId,
    suiteId: suite.id,
    suiteVersion: suite.version,
    plan: { caseIds: facts.map((fact) => fact.caseId), runs: suite.repeats },
    cases: pairedCases(facts, rollouts),
    latency: latencySamples(rollouts),
    byArm: byArm(rollouts),
  };
}
