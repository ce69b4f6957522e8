import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Failure as FailureSchema } from '#contracts/failure';
import { decodeCursor, encodeCursor, type Page } from '#platform/web';
import type { BucketChanges, BucketFilter, BucketStatus } from './buckets.repository.js';
import { Buckets, type Bucket, type BucketDetail } from './buckets.service.js';
import type { FailureRow } from './failures.queries.js';
import { FailuresRepository, type FailureFilter, type PageKey } from './failures.repository.js';

export type Failure = z.infer<typeof FailureSchema>;

export interface FailureQuery extends Omit<FailureFilter, 'clusterIds'> {
  bucketId?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

export interface BucketQuery extends BucketFilter {
  limit: number;
  cursor?: string | undefined;
}

export interface SeriesPoint {
  startMs: number;
  failures: number;
}

const NS_A_MS = 1_000_000n;
/** A project has tens of buckets; more than this at once is no longer a list of causes. */
const MOST_OPEN_BUCKETS = 500;
const EXPORT_PAGE = 500;

/** The stage's door for others. Every call names its project. */
@Injectable()
export class Triage {
  constructor(
    private readonly failures: FailuresRepository,
    private readonly buckets: Buckets,
  ) {}

  /** Of the current triage of the trajectory, in order of steps. */
  async failuresOf(projectId: string, trajectoryId: string): Promise<Failure[]> {
    return this.withBuckets(projectId, await this.failures.ofTrajectory(projectId, trajectoryId));
  }

  /** Of the trajectory's current revision; `failed` says that triage itself broke on it. */
  stateOf(projectId: string, trajectoryId: string): Promise<'pending' | 'done' | 'failed'> {
    return this.failures.stateOf(projectId, trajectoryId);
  }

  /** Newest first. @throws AppError resource.not_found for an unknown bucket, request.invalid for a bad cursor. */
  async listFailures(
    projectId: string,
    { bucketId, limit, cursor, ...filter }: FailureQuery,
  ): Promise<Page<Failure>> {
    const clusterIds =
      bucketId === undefined ? undefined : await this.buckets.clusterIds(projectId, bucketId);
    const before = cursor === undefined ? null : keyOf(cursor);
    const rows = await this.failures.list(projectId, { ...filter, clusterIds }, { limit: limit + 1, before });
    const items = await this.withBuckets(projectId, rows.slice(0, limit));
    const last = items.at(-1);
    const more = rows.length > limit && last !== undefined;
    return { items, nextCursor: more ? encodeCursor([last.observedAtNs, last.id]) : null };
  }

  /** Everything that the query matches, page by page. */
  async *exportFailures(
    projectId: string,
    query: Omit<FailureQuery, 'limit' | 'cursor'>,
  ): AsyncGenerator<Failure> {
    let cursor: string | undefined;
    do {
      const page = await this.listFailures(projectId, { ...query, limit: EXPORT_PAGE, cursor });
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Newest first. */
  async listBuckets(projectId: string, { limit, cursor, ...filter }: BucketQuery): Promise<Page<Bucket>> {
    const key = cursor === undefined ? null : decodeCursor(cursor, 2);
    const before = key === null ? null : { at: new Date(Number(key[0])), id: String(key[1]) };
    const rows = await this.buckets.list(projectId, filter, { limit: limit + 1, before });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const more = rows.length > limit && last !== undefined;
    return {
      items: shown.map(({ createdAt: _createdAt, ...bucket }) => bucket),
      nextCursor: more ? encodeCursor([last.createdAt.getTime(), last.id]) : null,
    };
  }

  /** What is to be fixed for the agent, open or in work, the most frequent root cause first. */
  async openBuckets(projectId: string, agent: string): Promise<Bucket[]> {
    const { items } = await this.listBuckets(projectId, {
      agent,
      statuses: ['open', 'fixing'],
      limit: MOST_OPEN_BUCKETS,
    });
    return items.sort((a, b) => b.trajectories - a.trajectories || (a.id < b.id ? -1 : 1));
  }

  /** @throws AppError resource.not_found */
  getBucket(projectId: string, id: string): Promise<BucketDetail> {
    return this.buckets.get(projectId, id);
  }

  /** @throws AppError resource.not_found */
  async patchBucket(
    projectId: string,
    id: string,
    changes: Pick<BucketChanges, 'name' | 'owner' | 'severity' | 'status'>,
  ): Promise<BucketDetail> {
    await this.buckets.patch(projectId, id, changes);
    return this.buckets.get(projectId, id);
  }

  /** `fixed` remembers when, and which policies had failed until then. @throws AppError resource.not_found */
  setBucketStatus(projectId: string, id: string, status: BucketStatus): Promise<void> {
    return this.buckets.patch(projectId, id, { status });
  }

  /** @throws AppError resource.not_found, request.invalid, resource.conflict */
  async mergeBuckets(projectId: string, id: string, others: readonly string[]): Promise<BucketDetail> {
    await this.buckets.merge(projectId, id, others);
    return this.buckets.get(projectId, id);
  }

  /** The new bucket. @throws AppError resource.not_found, request.invalid, resource.conflict */
  async splitBucket(
    projectId: string,
    id: string,
    part: { clusterIds: readonly string[]; name?: string | undefined },
  ): Promise<BucketDetail> {
    return this.buckets.get(projectId, await this.buckets.split(projectId, id, part));
  }

  /** Trajectories whose root cause lies in the bucket, or that show the category; newest first. */
  async trajectoryIdsOf(
    projectId: string,
    of: { bucketId?: string | undefined; category?: string | undefined },
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Page<string>> {
    const clusterIds =
      of.bucketId === undefined ? undefined : await this.buckets.clusterIds(projectId, of.bucketId);
    const before = page.cursor === undefined ? null : keyOf(page.cursor);
    const filter = { category: of.category, clusterIds };
    const rows = await this.failures.trajectoryIds(projectId, filter, { limit: page.limit + 1, before });
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    const more = rows.length > page.limit && last !== undefined;
    return {
      items: shown.map(({ trajectoryId }) => trajectoryId),
      nextCursor: more ? encodeCursor([last.observedAtNs.toString(), last.trajectoryId]) : null,
    };
  }

  /** Root causes of the bucket, one a trajectory, newest first. @throws AppError resource.not_found */
  async rootCausesOf(projectId: string, bucketId: string, limit: number): Promise<Failure[]> {
    return (await this.listFailures(projectId, { bucketId, rootOnly: true, limit })).items;
  }

  /** The bucket's trend: root causes in steps of `stepMs`; steps without any are left out. */
  async bucketSeries(
    projectId: string,
    bucketId: string,
    query: { stepMs: number; sinceMs: number },
  ): Promise<SeriesPoint[]> {
    const clusters = await this.buckets.clusterIds(projectId, bucketId);
    const stepNs = BigInt(query.stepMs) * NS_A_MS;
    const rows = await this.failures.rootCausesOverTime(projectId, {
      clusters,
      stepNs,
      sinceNs: BigInt(query.sinceMs) * NS_A_MS,
    });
    return rows.map(({ startNs, failures }) => ({ startMs: Number(startNs / NS_A_MS), failures }));
  }

  /** As stored and queryable now. */
  async counts(projectId: string): Promise<{ failures: number; buckets: number }> {
    const [failures, buckets] = await Promise.all([
      this.failures.count(projectId),
      this.buckets.count(projectId),
    ]);
    return { failures, buckets };
  }

  private async withBuckets(projectId: string, rows: readonly FailureRow[]): Promise<Failure[]> {
    const buckets = await this.buckets.bucketOfClusters(
      projectId,
      rows.map(({ clusterId }) => clusterId),
    );
    return rows.map(
      ({ policy: _policy, tool: _tool, detail, detectorName, detectorVersion, observedAtNs, ...row }) => ({
        ...row,
        projectId,
        ...(detail === '' ? {} : { detail }),
        detector: { name: detectorName, version: detectorVersion },
        bucketId: buckets.get(row.clusterId) ?? null,
        observedAtNs: observedAtNs.toString(),
      }),
    );
  }
}

function keyOf(cursor: string): PageKey {
  const [ns, id] = decodeCursor(cursor, 2);
  return { ns: BigInt(/^\d+$/.test(String(ns)) ? String(ns) : 0), id: String(id) };
}
