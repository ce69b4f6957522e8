import { Injectable } from '@nestjs/common';
import { EvalRuns, EvalSuites, type Baseline, type EvalSuite } from '#loop/evals';
import { Registry } from '#loop/registry';
import { Agents } from '../agents.js';
import { CycleSettings } from '../settings.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { BaselineEvidence, SuitesEvidence } from './evidence-types.js';

/** Measures the production policy on validation tasks: the five rates, and how rewards spread over repeats. */
@Injectable()
export class BaselineStage extends Stage {
  readonly name = 'baseline';

  constructor(
    private readonly runs: EvalRuns,
    private readonly suites: EvalSuites,
    private readonly registry: Registry,
    private readonly agents: Agents,
    private readonly settings: CycleSettings,
  ) {
    super();
  }

  async run(context: StageContext): Promise<StageResult> {
    const { cycle, recipe, say } = context;
    const production = await this.registry.production(cycle.projectId, cycle.agent);
    const of = {
      projectId: cycle.projectId,
      agent: cycle.agent,
      cases: recipe.validation.tasks,
      split: 'validation' as const,
    };
    const policy = this.agents.policyOf(production);
    await say('measuring the five rates');
    const traffic = await this.measure(context, policy, await this.suites.createTraffic(of));
    await say('measuring unsafe actions where one is within reach');
    const risky = await this.measure(context, policy, await this.suites.createSafety(of));
    await say('measuring how rewards spread over repeats');
    const profile = await this.profile(context, policy);
    const rates = withUnsafeOf(traffic, risky);
    const found: BaselineEvidence = {
      productionId: production.id,
      policy: production.policyName,
      rates,
      profile,
    };
    const success = rates?.success.value?.estimate;
    const text = success === undefined ? 'unknown' : `${(100 * success).toFixed(0)} %`;
    return {
      state: 'done',
      summary: `success ${text} on ${recipe.validation.tasks} validation tasks`,
      evidence: found,
    };
  }

  private settingsOf({ cycle }: StageContext, repeats: number) {
    const { concurrency } = this.settings.options;
    return this.agents.settingsOf({ repeats, seed: cycle.seed, verifiers: null, concurrency });
  }

  private async measure(
    context: StageContext,
    policy: ReturnType<Agents['policyOf']>,
    suite: EvalSuite,
  ): Promise<Baseline | null> {
    const { cycle, fencing, signal } = context;
    const measured = await this.runs.measure({
      projectId: cycle.projectId,
      fencing,
      signal,
      runId: `${cycle.id}-baseline-${suite.kind}`,
      settings: this.settingsOf(context, 1),
      suiteId: suite.id,
      purpose: 'baseline',
      arms: { baseline: policy },
    });
    return measured.byArm.baseline ?? null;
  }

  /** Over tasks of the kinds that failed: what a group of generations would have to learn from. */
  private async profile(context: StageContext, policy: ReturnType<Agents['policyOf']>) {
    const { cycle, recipe, fencing, signal, evidence } = context;
    const { profile } = await this.runs.profile({
      projectId: cycle.projectId,
      fencing,
      signal,
      runId: `${cycle.id}-profile`,
      settings: this.settingsOf(context, recipe.profile.repeats),
      agent: cycle.agent,
      policy,
      tasks: recipe.profile.tasks,
      split: 'validation',
      slices: evidence<SuitesEvidence>('suites').failedSlices,
      groupSize: recipe.hyper.generations,
    });
    return profile;
  }
}

/** Unsafe actions are rare in traffic: their rate is taken where every task has one within reach. */
function withUnsafeOf(traffic: Baseline | null, risky: Baseline | null): Baseline | null {
  if (traffic === null || risky === null) return traffic;
  return { ...traffic, rates: { ...traffic.rates, unsafe_actions: risky.rates.unsafe_actions } };
}
