import { Injectable } from '@nestjs/common';
import { Triage } from '#loop/triage';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { BucketsEvidence } from './evidence-types.js';

/** Takes the agent's open buckets as what this turn is to fix. */
@Injectable()
export class BucketsStage extends Stage {
  readonly name = 'buckets';

  constructor(private readonly triage: Triage) {
    super();
  }

  async run({ cycle }: StageContext): Promise<StageResult> {
    const buckets = await this.triage.openBuckets(cycle.projectId, cycle.agent);
    if (buckets.length === 0) {
      const reason = `The agent ${cycle.agent} has no open failure bucket: nothing to fix.`;
      return {
        state: 'done',
        summary: reason,
        evidence: { buckets: [] },
        verdict: { verdict: 'failed', reason },
      };
    }
    for (const bucket of buckets) await this.triage.setBucketStatus(cycle.projectId, bucket.id, 'fixing');
    const evidence: BucketsEvidence = {
      buckets: buckets.map(({ id, name, category, severity, failures }) => ({
        id,
        name,
        category,
        severity,
        failures,
      })),
    };
    const failures = buckets.reduce((sum, bucket) => sum + bucket.failures, 0);
    return { state: 'done', summary: `${buckets.length} buckets, ${failures} failures`, evidence };
  }
}
