import { Injectable } from '@nestjs/common';
import type { Failure } from '#contracts/failure';
import { TrajectoryAnnotations } from '#loop/trajectories';
import { Triage } from './triage.service.js';

const PAGE = 500;
/** A list is filtered by at most so many of the newest matches; a longer filter is no longer a list a person reads. */
const MOST_IDS = 5_000;

/** Tells the trajectories stage what triage found, without it knowing triage. */
@Injectable()
export class TriageAnnotations extends TrajectoryAnnotations {
  constructor(private readonly triage: Triage) {
    super();
  }

  override async of(
    projectId: string,
    trajectoryId: string,
  ): Promise<{ state: 'pending' | 'done' | 'failed'; failures: Failure[] }> {
    const [state, failures] = await Promise.all([
      this.triage.stateOf(projectId, trajectoryId),
      this.triage.failuresOf(projectId, trajectoryId),
    ]);
    return { state, failures };
  }

  override async idsWith(
    projectId: string,
    filter: { category?: string | undefined; bucketId?: string | undefined },
  ): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.triage.trajectoryIdsOf(projectId, filter, { limit: PAGE, cursor });
      ids.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined && ids.length < MOST_IDS);
    return ids;
  }
}
