import { Injectable } from '@nestjs/common';
import { Registry } from '#loop/registry';
import { Deployments } from '#loop/serving';
import { Triage } from '#loop/triage';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { AdmissionEvidence, BaselineEvidence, BucketsEvidence } from './evidence-types.js';

/** Puts the gated candidate into production and serves it. There is no canary in this deployment: recorded as skipped. */
@Injectable()
export class PromotionStage extends Stage {
  readonly name = 'promotion';

  constructor(
    private readonly registry: Registry,
    private readonly deployments: Deployments,
    private readonly triage: Triage,
  ) {
    super();
  }

  async run({ cycle, evidence }: StageContext): Promise<StageResult> {
    const { projectId, agent } = cycle;
    const { candidateId, policy } = evidence<AdmissionEvidence>('admission');
    const { productionId } = evidence<BaselineEvidence>('baseline');
    const reason = 'passed its gate; canary skipped: this deployment has no canary stage yet';
    // Loaded and probed before it is put into production: what cannot serve leaves everything as it is.
    await this.deployments.makeReady(await this.registry.get(projectId, candidateId));
    await this.registry.promote({ projectId, candidateId, actor: 'cycle', reason }, productionId);
    await this.deployments.reconcile(projectId, agent);
    for (const { id } of evidence<BucketsEvidence>('buckets').buckets) {
      await this.triage.setBucketStatus(projectId, id, 'fixed');
    }
    const summary = `${policy} serves; canary skipped`;
    return {
      state: 'done',
      summary,
      evidence: { serves: policy, canary: 'skipped' },
      verdict: { verdict: 'promoted', reason: summary },
    };
  }
}
