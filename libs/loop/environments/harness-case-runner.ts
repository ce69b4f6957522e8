import { Injectable } from '@nestjs/common';
import type { Rollout } from '#contracts/rollout';
import { Clock } from '#kernel/clock';
import type { CaseRunner, CaseRunRequest } from '#loop/evals';
import { EnvironmentCatalog } from './environment-catalog.js';
import { rolloutKey, runRollouts } from './harness/run-rollouts.js';
import { RolloutsRepository } from './rollouts.repository.js';

/** Rollouts kept in memory until they are stored together: a store per rollout would cost more than the rollout. */
const STORE_EVERY = 64;

/** Runs eval cases by the builtin harness; what is stored is not run again. */
@Injectable()
export class HarnessCaseRunner implements CaseRunner {
  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly rollouts: RolloutsRepository,
    private readonly clock: Clock,
  ) {}

  async run(request: CaseRunRequest): Promise<Rollout[]> {
    const { projectId, runId, fencing } = request;
    const definition = await this.catalog.definition(projectId, request.environmentId);
    const { defaultVerifier: paid, independentVerifier: independent } = definition;
    const planned = new Set(request.cases.map((each) => each.caseId));
    const kept = (await this.stored(projectId, runId)).filter(
      (rollout) =>
        planned.has(rollout.caseId) && rollout.repeat < request.repeats && request.arms[rollout.arm],
    );
    let waiting: Rollout[] = [];
    const store = async (): Promise<void> => {
      const batch = waiting;
      waiting = [];
      await this.rollouts.put(projectId, fencing, batch);
    };
    try {
      const made = await runRollouts({
        ...request,
        definition,
        verifiers: request.verifiers ?? { paid, independent },
        clock: this.clock,
        done: new Set(kept.map(rolloutKey)),
        onRollout: async (rollout) => {
          waiting.push(rollout);
          if (waiting.length >= STORE_EVERY) await store();
        },
      });
      return [...kept, ...made];
    } finally {
      await store();
    }
  }

  stored(projectId: string, runId: string): Promise<Rollout[]> {
    return this.rollouts.ofRun(projectId, runId);
  }
}
