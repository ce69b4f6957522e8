import { Injectable } from '@nestjs/common';
import { EvalRuns, EvalSuites } from '#loop/evals';
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

  async run({ cycle, recipe, fencing, signal, evidence, say }: StageContext): Promise<StageResult> {
    const { projectId, agent, id } = cycle;
    const production = await this.registry.production(projectId, agent);
    const { failedSlices } = evidence<SuitesEvidence>('suites');
    const of = (repeats: number) =>
      this.agents.settingsOf({
        repeats,
        seed: cycle.seed,
        verifiers: null,
        concurrency: this.settings.options.concurrency,
      });
    const policy = this.agents.policyOf(production);
    const attempt = { projectId, fencing, signal };
    const suite = await this.suites.createTraffic({
      projectId,
      agent,
      cases: recipe.validation.tasks,
      split: 'validation',
    });
    await say('measuring the five rates');
    const measured = await this.runs.measure({
      ...attempt,
      runId: `${id}-baseline`,
      settings: of(1),
      suiteId: suite.id,
      purpose: 'baseline',
      arms: { baseline: policy },
    });
    await say('measuring how rewards spread over repeats');
    const profiled = await this.runs.profile({
      ...attempt,
      runId: `${id}-profile`,
      settings: of(recipe.profile.repeats),
      agent,
      policy,
      tasks: recipe.profile.tasks,
      split: 'validation',
      slices: failedSlices,
      groupSize: recipe.hyper.generations,
    });
    const rates = measured.byArm.baseline ?? null;
    const found: BaselineEvidence = {
      productionId: production.id,
      policy: production.policyName,
      rates,
      profile: profiled.profile,
    };
    const success = rates?.success.value?.estimate;
    return {
      state: 'done',
      summary: `success ${success === undefined ? 'unknown' : `${(100 * success).toFixed(0)} %`} on ${suite.cases} validation tasks`,
      evidence: found,
    };
  }
}
