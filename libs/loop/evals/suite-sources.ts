import { Injectable } from '@nestjs/common';
import type { EnvironmentTask, TaskQuery } from '#contracts/environment';
import { AppError } from '#kernel/errors';
import { slicesOfKinds, taskKindOf } from './domain/task-kind.js';
import type { SuiteSpec } from './eval-suites.repository.js';
import { EnvironmentSource, FailureSource, type EnvironmentFacts } from './ports.js';

/** Failed trajectories of a bucket that are looked at to learn which kinds of task it holds. */
const FAULTS_READ = 200;

/** Where the cases of suites and profiles come from: the agent's environment, and the kinds of task its buckets hold. */
@Injectable()
export class SuiteSources {
  constructor(
    private readonly environments: EnvironmentSource,
    private readonly failures: FailureSource,
  ) {}

  /** @throws AppError `resource.conflict` where the agent has none. */
  async environmentOf(projectId: string, agent: string): Promise<EnvironmentFacts> {
    const environment = await this.environments.forAgent(projectId, agent);
    if (environment) return environment;
    throw new AppError('resource.conflict', {
      public: `No environment is registered for the agent ${agent}: make one of its eval cases first.`,
    });
  }

  /** Each task once. */
  async draw(projectId: string, environmentId: string, query: TaskQuery): Promise<EnvironmentTask[]> {
    const tasks = await this.environments.draw(projectId, environmentId, query);
    return [...new Map(tasks.map((task) => [task.id, task])).values()];
  }

  /** Slices that the buckets' failures were in, of those that the environment knows. */
  async slicesOfBuckets(
    projectId: string,
    bucketIds: readonly string[],
    environment: EnvironmentFacts,
  ): Promise<SuiteSpec['buckets']> {
    const ids = [...new Set(bucketIds)].sort();
    return Promise.all(
      ids.map(async (id) => ({ id, slices: await this.slicesOf(projectId, id, environment) })),
    );
  }

  private async slicesOf(
    projectId: string,
    bucketId: string,
    environment: EnvironmentFacts,
  ): Promise<string[]> {
    const faults = await this.failures.faults(projectId, bucketId, FAULTS_READ);
    if (environment.fidelity === 'next-action') {
      const failed = faults.map(({ category, detail }) =>
        detail === null ? category : `${category}/${detail}`,
      );
      return environment.slices.filter((slice) => failed.includes(slice));
    }
    const ids = faults.map((fault) => fault.trajectoryId);
    const trajectories = await this.failures.trajectories(projectId, ids);
    const kinds = trajectories.map((each) => taskKindOf(each.metadata));
    return slicesOfKinds(kinds, environment.slices);
  }
}
