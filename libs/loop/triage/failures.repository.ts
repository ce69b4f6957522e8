import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { ClickHouse } from '#platform/clickhouse';
import type { Diagnosis } from './domain/diagnose.js';
import * as queries from './failures.queries.js';
import type { FailureRow } from './failures.queries.js';

/** Above every time and id: the first page. */
const NEWEST: PageKey = { ns: 2n ** 64n - 1n, id: '\u{10FFFF}' };

export interface PageKey {
  ns: bigint;
  id: string;
}

export interface FailureFilter {
  trajectoryId?: string | undefined;
  agent?: string | undefined;
  category?: string | undefined;
  /** Undefined: all; an empty list: none. */
  clusterIds?: readonly string[] | undefined;
  rootOnly?: boolean | undefined;
  sinceNs?: bigint | undefined;
  untilNs?: bigint | undefined;
}

export interface TriagedTrajectory {
  projectId: string;
  trajectoryId: string;
  revision: number;
  policy: string | null;
  state: 'done' | 'failed';
  rulesVersion: string;
  note: string;
  failures: readonly Diagnosis[];
}

export interface BucketFigures {
  bucketId: string;
  failures: number;
  trajectories: number;
  firstSeenNs: bigint;
  lastSeenNs: bigint;
  examples: string[];
  policies: string[];
}

/** Owns `failures` and `triage_states`; reads `trajectories_once` to find what is pending. */
@Injectable()
export class FailuresRepository {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores what triage found: new failures, retractions of those no longer found, then the states. Killed in between, the
   * states are missing and the same work is done again with the same ids.
   */
  async record(triaged: readonly TriagedTrajectory[]): Promise<void> {
    const seq = this.clock.nowNs();
    const found = triaged.flatMap((item) => item.failures.map((failure) => failureRow(failure, item, seq)));
    const ids = new Set(found.map(({ trajectory_id, id }) => `${trajectory_id} ${id}`));
    const gone = (await this.idsOnRecord(triaged)).filter((row) => !ids.has(`${row.trajectoryId} ${row.id}`));
    await this.clickhouse.insert('failures', [...found, ...gone.map((row) => retraction(row, seq))]);
    await this.clickhouse.insert(
      'triage_states',
      triaged.map((item) => ({
        project_id: item.projectId,
        trajectory_id: item.trajectoryId,
        revision: item.revision,
        triaged_seq: seq,
        state: item.state,
        rules_version: item.rulesVersion,
        failures: item.failures.length,
        note: item.note,
      })),
    );
  }

  /** Takes the failures of trajectories that are no longer there out of every count; returns how many trajectories. */
  async retractOrphans(limit: number): Promise<number> {
    const orphans = await this.clickhouse.query(queries.orphanedFailures, { limit });
    const gone = await this.idsOnRecord(orphans);
    await this.clickhouse.insert(
      'failures',
      gone.map((row) => retraction(row, this.clock.nowNs())),
    );
    return orphans.length;
  }

  ofTrajectory(projectId: string, trajectoryId: string): Promise<FailureRow[]> {
    return this.clickhouse.query(queries.failuresOfTrajectory, { projectId, trajectoryId });
  }

  async list(
    projectId: string,
    filter: FailureFilter,
    page: { limit: number; before: PageKey | null },
  ): Promise<FailureRow[]> {
    if (filter.clusterIds?.length === 0) return [];
    const before = page.before ?? NEWEST;
    return this.clickhouse.query(queries.failureList, {
      projectId,
      trajectoryId: filter.trajectoryId ?? '',
      agent: filter.agent ?? '',
      category: filter.category ?? '',
      clusterIds: [...(filter.clusterIds ?? [])],
      rootOnly: filter.rootOnly ?? false,
      sinceNs: filter.sinceNs ?? 0n,
      untilNs: filter.untilNs ?? NEWEST.ns,
      beforeNs: before.ns,
      beforeId: before.id,
      limit: page.limit,
    });
  }

  async trajectoryIds(
    projectId: string,
    filter: { category?: string | undefined; clusterIds?: readonly string[] | undefined },
    page: { limit: number; before: PageKey | null },
  ): Promise<{ trajectoryId: string; observedAtNs: bigint }[]> {
    if (filter.clusterIds?.length === 0) return [];
    const before = page.before ?? NEWEST;
    return this.clickhouse.query(queries.trajectoryIds, {
      projectId,
      category: filter.category ?? '',
      clusterIds: [...(filter.clusterIds ?? [])],
      beforeNs: before.ns,
      beforeId: before.id,
      limit: page.limit,
    });
  }

  /** By bucket; buckets without a failure are left out. */
  async bucketFigures(
    projectId: string,
    map: readonly { clusterId: string; bucketId: string }[],
  ): Promise<Map<string, BucketFigures>> {
    if (map.length === 0) return new Map();
    const rows = await this.clickhouse.query(queries.bucketFigures, {
      projectId,
      clusters: map.map(({ clusterId }) => clusterId),
      buckets: map.map(({ bucketId }) => bucketId),
    });
    return new Map(rows.map((row) => [row.bucketId, row]));
  }

  async clusterFigures(
    projectId: string,
    clusters: readonly string[],
  ): Promise<Map<string, { failures: number; trajectories: number }>> {
    const rows = await this.clickhouse.query(queries.clusterFigures, { projectId, clusters: [...clusters] });
    return new Map(rows.map((row) => [row.clusterId, row]));
  }

  rootCausesOverTime(
    projectId: string,
    query: { clusters: readonly string[]; stepNs: bigint; sinceNs: bigint },
  ): Promise<{ startNs: bigint; failures: number }[]> {
    return this.clickhouse.query(queries.rootCausesOverTime, {
      projectId,
      ...query,
      clusters: [...query.clusters],
    });
  }

  async count(projectId: string): Promise<number> {
    return (await this.clickhouse.query(queries.failureCount, { projectId }))[0]?.failures ?? 0;
  }

  /** Of the trajectory's current revision. */
  async stateOf(projectId: string, trajectoryId: string): Promise<'pending' | 'done' | 'failed'> {
    const rows = await this.clickhouse.query(queries.currentState, { projectId, trajectoryId });
    return rows[0]?.state ?? 'pending';
  }

  pending(window: {
    afterSeq: bigint;
    beforeSeq: bigint;
    limit: number;
  }): Promise<{ projectId: string; trajectoryId: string; storedSeq: bigint }[]> {
    return this.clickhouse.query(queries.pendingRevisions, window);
  }

  private async idsOnRecord(
    items: readonly { projectId: string; trajectoryId: string }[],
  ): Promise<FailureKey[]> {
    const keys: FailureKey[] = [];
    for (const projectId of new Set(items.map((item) => item.projectId))) {
      const trajectoryIds = items
        .filter((item) => item.projectId === projectId)
        .map((item) => item.trajectoryId);
      const rows = await this.clickhouse.query(queries.failureIdsOf, { projectId, trajectoryIds });
      keys.push(...rows.map((row) => ({ projectId, ...row })));
    }
    return keys;
  }
}

interface FailureKey {
  projectId: string;
  trajectoryId: string;
  id: string;
}

function retraction({ projectId, trajectoryId, id }: FailureKey, seq: bigint): Record<string, unknown> {
  return { project_id: projectId, trajectory_id: trajectoryId, id, recorded_seq: seq, retracted: 1 };
}

function failureRow(failure: Diagnosis, { policy, revision }: TriagedTrajectory, seq: bigint) {
  return {
    project_id: failure.projectId,
    trajectory_id: failure.trajectoryId,
    id: failure.id,
    recorded_seq: seq,
    retracted: 0,
    revision,
    agent: failure.agent,
    policy,
    category: failure.category,
    detail: failure.detail ?? '',
    tool: failure.tool ?? '',
    step_id: failure.stepId,
    step_index: failure.stepIndex,
    severity: failure.severity,
    confidence: failure.confidence,
    detector_name: failure.detector.name,
    detector_version: failure.detector.version,
    evidence: failure.evidence,
    root_cause: failure.rootCause ? 1 : 0,
    cluster_id: failure.clusterId,
    observed_at_ns: failure.observedAtNs,
  };
}
