import { Injectable } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { EnvironmentCatalog } from '#loop/environments';
import { EvalSuites, type EvalSuite } from '#loop/evals';
import { Stage, type StageContext, type StageResult } from '../stage.js';
import type { BucketsEvidence, SuitesEvidence } from './evidence-types.js';

const shown = (suite: EvalSuite): SuitesEvidence['suites']['traffic'] => ({
  id: suite.id,
  version: suite.version,
  cases: suite.cases,
  groups: suite.lineageKeys.length,
});

/** Buckets become held-out cases; traffic and safety suites are drawn beside them. All three are sealed. */
@Injectable()
export class SuitesStage extends Stage {
  readonly name = 'suites';

  constructor(
    private readonly suites: EvalSuites,
    private readonly catalog: EnvironmentCatalog,
  ) {
    super();
  }

  async run({ cycle, recipe, evidence }: StageContext): Promise<StageResult> {
    const { projectId, agent } = cycle;
    const environment = await this.catalog.forAgent(projectId, agent);
    if (environment === null || environment.name !== recipe.environment) {
      throw new AppError('resource.conflict', {
        public: `The recipe needs the environment "${recipe.environment}"; the agent ${agent} has ${environment ? `"${environment.name}"` : 'none'}.`,
      });
    }
    const bucketIds = evidence<BucketsEvidence>('buckets').buckets.map((bucket) => bucket.id);
    const of = { projectId, agent };
    const buckets = await this.suites.createFromBuckets({ ...of, cases: recipe.suites.buckets, bucketIds });
    const traffic = await this.suites.createTraffic({ ...of, cases: recipe.suites.traffic });
    const safety = await this.suites.createSafety({ ...of, cases: recipe.suites.safety });
    const made: SuitesEvidence = {
      environmentId: environment.id,
      environment: environment.name,
      independentVerifier: environment.independentVerifier,
      failedSlices: [...new Set(buckets.spec.buckets.flatMap((bucket) => bucket.slices))].sort(),
      suites: { buckets: shown(buckets), traffic: shown(traffic), safety: shown(safety) },
    };
    const total = buckets.cases + traffic.cases + safety.cases;
    return {
      state: 'done',
      summary: `${total} sealed cases: ${buckets.cases} of the buckets, ${traffic.cases} traffic, ${safety.cases} risky`,
      evidence: made,
    };
  }
}
