import { Injectable } from '@nestjs/common';
import { EvalRuns, type Measurement } from '#loop/evals';
import { Registry, type Candidate } from '#loop/registry';
import { Deployments } from '#loop/serving';
import { Agents } from './agents.js';
import { CycleSettings } from './settings.js';
import type { StageContext } from './stage.js';
import type { BaselineEvidence, SuitesEvidence } from './stages/evidence-types.js';

export type SuiteName = 'traffic' | 'safety' | 'buckets';
export const SUITES: readonly SuiteName[] = ['traffic', 'safety', 'buckets'];

export interface Arms {
  baseline: Candidate;
  candidate: Candidate;
  /** The baseline itself where no better version was ever promoted. */
  anchor: Candidate;
}

/**
 * Runs the sealed suites by baseline and candidate in turns on one server, as they will be served. A measurement goes on
 * where it stopped, so reading it again costs nothing.
 */
@Injectable()
export class MeasureSuites {
  constructor(
    private readonly runs: EvalRuns,
    private readonly registry: Registry,
    private readonly deployments: Deployments,
    private readonly agents: Agents,
    private readonly settings: CycleSettings,
  ) {}

  /** Who is measured, each loaded and probed. */
  async arms(context: StageContext): Promise<Arms> {
    const { cycle, evidence } = context;
    const { productionId } = evidence<BaselineEvidence>('baseline');
    const { candidateId } = evidence<{ candidateId: string }>('admission');
    const baseline = await this.registry.get(cycle.projectId, productionId);
    const candidate = await this.registry.get(cycle.projectId, candidateId);
    const anchor = await this.agents.anchor(baseline);
    for (const arm of new Set([baseline, candidate, anchor])) await this.deployments.makeReady(arm);
    return { baseline, candidate, anchor };
  }

  async measure(context: StageContext, arms: Arms, name: SuiteName): Promise<Measurement> {
    const { cycle, recipe, fencing, signal, evidence } = context;
    const { suites, independentVerifier } = evidence<SuitesEvidence>('suites');
    const separateAnchor = arms.anchor.id !== arms.baseline.id;
    return this.runs.measure({
      projectId: cycle.projectId,
      runId: `${cycle.id}-${name}`,
      fencing,
      signal,
      suiteId: suites[name].id,
      purpose: 'gate',
      settings: this.agents.settingsOf({
        repeats: recipe.suites.repeats,
        seed: cycle.seed,
        verifiers: { paid: recipe.verifier, independent: independentVerifier },
        concurrency: this.settings.options.concurrency,
      }),
      arms: {
        baseline: this.agents.policyOf(arms.baseline),
        candidate: this.agents.policyOf(arms.candidate),
        ...(separateAnchor ? { anchor: this.agents.policyOf(arms.anchor) } : {}),
      },
    });
  }
}
