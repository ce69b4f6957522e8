import { Global, Injectable, Module } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import { AppError } from '#kernel/errors';
import { Trajectories, TrajectoriesModule } from '#loop/trajectories';
import { Triage, TriageModule } from '#loop/triage';
import { FailureSource, type BucketFault } from './ports.js';

/** Trajectories that one query reads: each comes with all its steps. */
const CHUNK = 50;

/** Buckets as triage keeps them, trajectories as they are stored. */
@Injectable()
export class TriageFailures extends FailureSource {
  constructor(
    private readonly triage: Triage,
    private readonly stored: Trajectories,
  ) {
    super();
  }

  async bucket(projectId: string, bucketId: string): Promise<{ id: string; agent: string } | null> {
    try {
      const { id, agent } = await this.triage.getBucket(projectId, bucketId);
      return { id, agent };
    } catch (error) {
      if (error instanceof AppError && error.code === 'resource.not_found') return null;
      throw error;
    }
  }

  async faults(projectId: string, bucketId: string, limit: number): Promise<BucketFault[]> {
    const causes = await this.triage.rootCausesOf(projectId, bucketId, limit);
    return causes.map(({ trajectoryId, category, detail, stepIndex }) => ({
      trajectoryId,
      category,
      detail: detail ?? null,
      stepIndex,
    }));
  }

  async trajectories(projectId: string, ids: readonly string[]): Promise<Trajectory[]> {
    const found: Trajectory[] = [];
    for (let at = 0; at < ids.length; at += CHUNK) {
      found.push(...(await this.stored.getMany(projectId, ids.slice(at, at + CHUNK))));
    }
    return found;
  }
}

/** For the root module of an app: gives `FailureSource` to the evals everywhere. */
@Global()
@Module({
  imports: [TriageModule, TrajectoriesModule],
  providers: [{ provide: FailureSource, useClass: TriageFailures }],
  exports: [FailureSource],
})
export class FailureSourceModule {}
