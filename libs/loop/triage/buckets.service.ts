import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Bucket as BucketSchema } from '#contracts/failure';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import {
  BucketsRepository,
  type BucketChanges,
  type BucketFilter,
  type BucketRow,
  type BucketStatus,
  type MappedCluster,
} from './buckets.repository.js';
import { bucketIdOf, bucketNameOf } from './domain/cluster.js';
import type { Diagnosis } from './domain/diagnose.js';
import { reopens } from './domain/reopen.js';
import { FailuresRepository, type BucketFigures } from './failures.repository.js';

export type Bucket = z.infer<typeof BucketSchema>;

export interface BucketDetail extends Bucket {
  /** What the map puts into it: the pieces that a split can take out. */
  clusters: (Omit<MappedCluster, 'bucketId' | 'severity'> & { failures: number; trajectories: number })[];
}

export interface RootCause {
  failure: Diagnosis;
  policy: string | null;
  startedAtNs: bigint;
}

const NS_A_MS = 1_000_000n;

/** Buckets: opened by root causes, brought back by their return, merged and split by people. */
@Injectable()
export class Buckets {
  constructor(
    private readonly repository: BucketsRepository,
    private readonly failures: FailuresRepository,
    private readonly clock: Clock,
  ) {}

  /** Opens buckets for clusters seen for the first time, and reopens fixed ones whose failure returned. */
  async take(projectId: string, causes: readonly RootCause[]): Promise<void> {
    const first = new Map(causes.map((cause) => [cause.failure.clusterId, cause.failure]));
    const known = await this.repository.clusters(projectId, [...first.keys()]);
    const knownIds = new Set(known.map(({ clusterId }) => clusterId));
    for (const failure of first.values()) {
      if (!knownIds.has(failure.clusterId)) await this.open(projectId, failure);
    }
    await this.reopen(projectId, { causes, known });
  }

  /** @throws AppError resource.not_found, also for a bucket that was merged into another. */
  async get(projectId: string, id: string): Promise<BucketDetail> {
    const row = await this.rowOf(projectId, id);
    const clusters = await this.repository.clustersOfBuckets(projectId, [id]);
    const [figures, ofCluster] = await Promise.all([
      this.failures.bucketFigures(projectId, clusters),
      this.failures.clusterFigures(
        projectId,
        clusters.map(({ clusterId }) => clusterId),
      ),
    ]);
    return {
      ...bucketOf(projectId, row, figures.get(id)),
      clusters: clusters.map(({ clusterId, category, detail, tool }) => ({
        clusterId,
        category,
        detail,
        tool,
        ...(ofCluster.get(clusterId) ?? { failures: 0, trajectories: 0 }),
      })),
    };
  }

  /** With the figures of their failures, newest first. */
  async list(
    projectId: string,
    filter: BucketFilter,
    page: { limit: number; before: { at: Date; id: string } | null },
  ): Promise<(Bucket & { createdAt: Date })[]> {
    const rows = await this.repository.list(projectId, filter, page);
    const map = await this.repository.clustersOfBuckets(
      projectId,
      rows.map(({ id }) => id),
    );
    const figures = await this.failures.bucketFigures(projectId, map);
    return rows.map((row) => ({
      ...bucketOf(projectId, row, figures.get(row.id)),
      createdAt: row.createdAt,
    }));
  }

  /** @throws AppError resource.not_found */
  async patch(projectId: string, id: string, changes: BucketChanges): Promise<void> {
    await this.rowOf(projectId, id);
    const fix =
      changes.status === undefined ? {} : await this.fixOf(projectId, { id, status: changes.status });
    await this.repository.change(projectId, id, { changes: { ...changes, ...fix }, at: this.clock.now() });
  }

  /**
   * Moves all clusters of `others` into the bucket; the emptied ones disappear from lists, a split brings one back.
   * @throws AppError resource.not_found, request.invalid where they belong to several agents.
   */
  async merge(projectId: string, id: string, others: readonly string[]): Promise<void> {
    const into = await this.rowOf(projectId, id);
    const rest = [...new Set(others)].filter((other) => other !== id);
    const rows = await Promise.all(rest.map((other) => this.rowOf(projectId, other)));
    if (rows.length === 0)
      throw new AppError('request.invalid', { public: 'Name at least one other bucket to merge.' });
    if (rows.some(({ agent }) => agent !== into.agent)) {
      throw new AppError('request.invalid', { public: 'Buckets of different agents cannot be merged.' });
    }
    const clusterIds = (await this.repository.clustersOfBuckets(projectId, rest)).map(
      ({ clusterId }) => clusterId,
    );
    await this.repository.editMap(projectId, {
      kind: 'merge',
      clusterIds,
      toBucketId: id,
      at: this.clock.now(),
    });
  }

  /**
   * Moves some clusters of the bucket into a new one and returns its id.
   * @throws AppError resource.not_found, request.invalid unless some clusters go and some stay.
   */
  async split(
    projectId: string,
    id: string,
    { clusterIds, name }: { clusterIds: readonly string[]; name?: string | undefined },
  ): Promise<string> {
    const row = await this.rowOf(projectId, id);
    const own = await this.repository.clustersOfBuckets(projectId, [id]);
    const leaving = own.filter(({ clusterId }) => clusterIds.includes(clusterId));
    const first = leaving[0];
    if (first === undefined || leaving.length !== new Set(clusterIds).size || leaving.length === own.length) {
      throw new AppError('request.invalid', {
        public: 'Name clusters of this bucket, and leave at least one in it.',
      });
    }
    const at = this.clock.now();
    const moved = leaving.map(({ clusterId }) => clusterId).sort();
    const newBucket: BucketRow = {
      ...row,
      id: contentHash(['split', projectId, id, moved, at.getTime()], 24),
      name: name ?? bucketNameOf(first),
      category: first.category,
      detail: first.detail,
      severity: first.severity,
      createdAt: at,
    };
    await this.repository.editMap(
      projectId,
      { kind: 'split', clusterIds: moved, toBucketId: newBucket.id, at },
      newBucket,
    );
    return newBucket.id;
  }

  async clusterIds(projectId: string, bucketId: string): Promise<string[]> {
    await this.rowOf(projectId, bucketId);
    return (await this.repository.clustersOfBuckets(projectId, [bucketId])).map(({ clusterId }) => clusterId);
  }

  /** Bucket of each cluster; clusters that never were a root cause have none. */
  async bucketOfClusters(projectId: string, clusterIds: readonly string[]): Promise<Map<string, string>> {
    const map = await this.repository.clusters(projectId, [...new Set(clusterIds)]);
    return new Map(map.map(({ clusterId, bucketId }) => [clusterId, bucketId]));
  }

  count(projectId: string): Promise<number> {
    return this.repository.count(projectId);
  }

  private async open(projectId: string, failure: Diagnosis): Promise<void> {
    const { agent, category, severity, tool, clusterId } = failure;
    const detail = failure.detail ?? null;
    await this.repository.openIfAbsent(projectId, {
      id: bucketIdOf(projectId, clusterId),
      name: bucketNameOf({ category, detail, tool }),
      agent,
      category,
      detail,
      severity,
      tool,
      clusterId,
      createdAt: this.clock.now(),
    });
  }

  private async reopen(
    projectId: string,
    { causes, known }: { causes: readonly RootCause[]; known: readonly MappedCluster[] },
  ): Promise<void> {
    const bucketOfCluster = new Map(known.map(({ clusterId, bucketId }) => [clusterId, bucketId]));
    const rows = await this.repository.ofIds(projectId, [...new Set(bucketOfCluster.values())]);
    for (const { id, status, fixedAt, policiesBefore } of rows) {
      if (status !== 'fixed' || fixedAt === null) continue;
      const fix = { fixedAtNs: BigInt(fixedAt.getTime()) * NS_A_MS, policiesBefore };
      const returned = causes.some(
        ({ failure, ...run }) =>
          bucketOfCluster.get(failure.clusterId) === id &&
          reopens(fix, { ...run, rootCause: failure.rootCause }),
      );
      if (!returned) continue;
      const changes: BucketChanges = { status: 'open', fixedAt: null };
      await this.repository.change(projectId, id, { changes, at: this.clock.now(), whileFixedAt: fixedAt });
    }
  }

  /** A fix is remembered with the policies that had failed until then: their late failures are no return. */
  private async fixOf(
    projectId: string,
    { id, status }: { id: string; status: BucketStatus },
  ): Promise<Pick<BucketChanges, 'fixedAt' | 'policiesBefore'>> {
    if (status !== 'fixed') return { fixedAt: null };
    const clusters = await this.repository.clustersOfBuckets(projectId, [id]);
    const figures = (await this.failures.bucketFigures(projectId, clusters)).get(id);
    return { fixedAt: this.clock.now(), policiesBefore: figures?.policies ?? [] };
  }

  private async rowOf(projectId: string, id: string): Promise<BucketRow> {
    const row = await this.repository.find(projectId, id);
    const clusters = row === null ? [] : await this.repository.clustersOfBuckets(projectId, [id]);
    if (row !== null && clusters.length > 0) return row;
    const public_ =
      row === null ? `There is no bucket ${id}.` : `The bucket ${id} was merged into another one.`;
    throw new AppError('resource.not_found', { public: public_ });
  }
}

function bucketOf(projectId: string, row: BucketRow, figures: BucketFigures | undefined): Bucket {
  const { id, agent, name, category, detail, status, severity, owner, createdAt } = row;
  const isoOf = (ns: bigint | undefined): string =>
    (ns === undefined ? createdAt : new Date(Number(ns / NS_A_MS))).toISOString();
  return {
    id,
    projectId,
    agent,
    name,
    category,
    detail,
    status,
    severity,
    owner,
    failures: figures?.failures ?? 0,
    trajectories: figures?.trajectories ?? 0,
    firstSeenAt: isoOf(figures?.firstSeenNs),
    lastSeenAt: isoOf(figures?.lastSeenNs),
    exampleTrajectoryIds: figures?.examples ?? [],
  };
}
