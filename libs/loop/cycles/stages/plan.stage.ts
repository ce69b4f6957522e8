import { Injectable } from '@nestjs/common';
import { EnvironmentCatalog } from '#loop/environments';
import type { Baseline, RewardProfile } from '#loop/evals';
import { planTraining } from '#loop/training';
import { recommendFix } from '#loop/triage';
import { CycleSettings } from '../settings.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import { fixEvidence } from '../domain/fix-evidence.js';
import type { BaselineEvidence, SuitesEvidence } from './evidence-types.js';

/** The lightest fix that works, by the ordered rule; and when that is training, what the run will cost and could show. */
@Injectable()
export class PlanStage extends Stage {
  readonly name = 'plan';

  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly settings: CycleSettings,
  ) {
    super();
  }

  async run({ cycle, recipe, evidence }: StageContext): Promise<StageResult> {
    const { environmentId, environment, suites } = evidence<SuitesEvidence>('suites');
    const baseline = evidence<BaselineEvidence>('baseline');
    const rates = baseline['rates'] as Baseline | null;
    const profile = baseline['profile'] as RewardProfile;
    const isExample = this.settings.options.examples.includes(environment);
    const waiver = isExample ? recipe.admission : 'required';
    const admission = await this.catalog.admissionOf(cycle.projectId, environmentId, recipe.verifier, {
      admission: waiver,
    });
    const fix = recommendFix(
      fixEvidence({ rates, profile, verifierUsable: admission.state !== 'missing', longOrStateful: true }),
    );
    const plan = planTraining({
      recipe,
      signal: profile.signal.estimate,
      baselineSuccess: rates?.success.value?.estimate ?? null,
      completionTokensMean: profile.completionTokensMean,
      groups: suites.traffic.groups,
    });
    const found = { fix, plan, admission: { state: admission.state, reason: admission.reason } };
    const trains = fix.rule === 7 || (recipe.admission === 'waived' && admission.state === 'waived');
    if (!trains) {
      const reason = `The lightest fix is "${fix.fix}" (rule ${fix.rule}): ${fix.because}`;
      return { state: 'done', summary: reason, evidence: found, verdict: { verdict: 'blocked', reason } };
    }
    const gain = plan.smallestVisibleGainPoints;
    const summary = `GRPO by rule ${fix.rule}: ${fix.because}${gain === null ? '' : ` The gate could see a gain of ${gain.toFixed(0)} points.`}`;
    return { state: 'done', summary, evidence: found };
  }
}
