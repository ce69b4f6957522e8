import { Injectable } from '@nestjs/common';
import { sql, type Kysely, type Selectable } from 'kysely';
import type { z } from 'zod';
import type {
  BucketStatus as BucketStatusSchema,
  FailureCategory,
  Severity as SeveritySchema,
} from '#contracts/failure';
import { AppError } from '#kernel/errors';
import { isUniqueViolation, jsonb, Postgres } from '#platform/postgres';
import type { BucketsTable, TriageTables } from './triage.tables.js';

export type BucketStatus = z.infer<typeof BucketStatusSchema>;
export type Severity = z.infer<typeof SeveritySchema>;

/** A bucket as people edit it, without the figures of its failures. */
export interface BucketRow {
  id: string;
  agent: string;
  name: string;
  category: FailureCategory;
  detail: string | null;
  status: BucketStatus;
  severity: Severity;
  owner: string | null;
  fixedAt: Date | null;
  policiesBefore: string[];
  createdAt: Date;
}

export interface MappedCluster {
  clusterId: string;
  bucketId: string;
  category: FailureCategory;
  detail: string | null;
  tool: string | null;
  severity: Severity;
}

export interface NewBucket extends Omit<BucketRow, 'status' | 'owner' | 'fixedAt' | 'policiesBefore'> {
  clusterId: string;
  tool: string | null;
}

export interface BucketFilter {
  agent?: string | undefined;
  statuses?: readonly BucketStatus[] | undefined;
  category?: string | undefined;
}

export interface BucketChanges {
  name?: string | undefined;
  owner?: string | null | undefined;
  severity?: Severity | undefined;
  status?: BucketStatus | undefined;
  fixedAt?: Date | null | undefined;
  policiesBefore?: readonly string[] | undefined;
}

export interface MapEdit {
  kind: 'merge' | 'split';
  clusterIds: readonly string[];
  toBucketId: string;
  at: Date;
}

/** All SQL of buckets and of the cluster map. A bucket without clusters was merged away and is not listed. */
@Injectable()
export class BucketsRepository {
  private readonly db: Kysely<TriageTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<TriageTables>();
  }

  /** The map entries of these clusters; those nobody opened are left out. */
  async clusters(projectId: string, clusterIds: readonly string[]): Promise<MappedCluster[]> {
    if (clusterIds.length === 0) return [];
    const rows = await this.clusterRows(projectId)
      .where('cluster_id', 'in', [...clusterIds])
      .execute();
    return rows as MappedCluster[];
  }

  async clustersOfBuckets(projectId: string, bucketIds: readonly string[]): Promise<MappedCluster[]> {
    if (bucketIds.length === 0) return [];
    const rows = await this.clusterRows(projectId)
      .where('bucket_id', 'in', [...bucketIds])
      .orderBy('cluster_id')
      .execute();
    return rows as MappedCluster[];
  }

  /** Opens a bucket for a cluster that has none; of two that do it at once, one wins and both see the same. */
  async openIfAbsent(projectId: string, bucket: NewBucket): Promise<void> {
    const { clusterId, tool, createdAt, ...rest } = bucket;
    await this.db.transaction().execute(async (trx) => {
      await trx
        .insertInto('buckets')
        .values({
          project_id: projectId,
          ...rest,
          status: 'open',
          owner: null,
          fixed_at: null,
          policies_before: jsonb([]),
          created_at: createdAt,
          updated_at: createdAt,
        })
        .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
        .execute();
      const { category, detail, severity, id } = rest;
      const entry = { cluster_id: clusterId, bucket_id: id, category, detail, tool, severity };
      await trx
        .insertInto('bucket_clusters')
        .values({ project_id: projectId, ...entry, map_version: 0, mapped_at: createdAt })
        .onConflict((conflict) => conflict.columns(['project_id', 'cluster_id']).doNothing())
        .execute();
    });
  }

  async find(projectId: string, id: string): Promise<BucketRow | null> {
    const row = await this.db
      .selectFrom('buckets')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? null : rowOf(row);
  }

  async ofIds(projectId: string, ids: readonly string[]): Promise<BucketRow[]> {
    if (ids.length === 0) return [];
    const rows = await this.db
      .selectFrom('buckets')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', 'in', [...ids])
      .execute();
    return rows.map(rowOf);
  }

  /** Newest first, keyset on (created, id). */
  async list(
    projectId: string,
    filter: BucketFilter,
    page: { limit: number; before: { at: Date; id: string } | null },
  ): Promise<BucketRow[]> {
    let query = this.listed(projectId).selectAll('buckets');
    if (filter.agent !== undefined) query = query.where('agent', '=', filter.agent);
    if (filter.category !== undefined) query = query.where('category', '=', filter.category);
    if (filter.statuses !== undefined) query = query.where('status', 'in', [...filter.statuses]);
    if (page.before !== null) {
      const { at, id } = page.before;
      query = query.where(sql<boolean>`(buckets.created_at, buckets.id) < (${at}, ${id})`);
    }
    const rows = await query
      .orderBy('buckets.created_at', 'desc')
      .orderBy('buckets.id', 'desc')
      .limit(page.limit)
      .execute();
    return rows.map(rowOf);
  }

  async count(projectId: string): Promise<number> {
    const { count } = await this.listed(projectId)
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /** Changes the row; with `whileFixedAt`, only while it is still fixed by that fix. Returns whether it did. */
  async change(
    projectId: string,
    id: string,
    { changes, at, whileFixedAt }: { changes: BucketChanges; at: Date; whileFixedAt?: Date },
  ): Promise<boolean> {
    const { fixedAt, policiesBefore, ...plain } = changes;
    const set = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined));
    let query = this.db
      .updateTable('buckets')
      .set({
        ...set,
        ...(fixedAt === undefined ? {} : { fixed_at: fixedAt }),
        ...(policiesBefore === undefined ? {} : { policies_before: jsonb(policiesBefore) }),
        updated_at: at,
      })
      .where('project_id', '=', projectId)
      .where('id', '=', id);
    if (whileFixedAt !== undefined)
      query = query.where('status', '=', 'fixed').where('fixed_at', '=', whileFixedAt);
    const { numUpdatedRows } = await query.executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /**
   * Edits the map under the next version number; `newBucket` is the one a split fills.
   * @throws AppError resource.conflict when another edit came in between.
   */
  async editMap(projectId: string, edit: MapEdit, newBucket?: BucketRow): Promise<void> {
    try {
      await this.db.transaction().execute((trx) => applyEdit(trx, { projectId, edit, newBucket }));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AppError('resource.conflict', {
        public: 'The buckets were merged or split meanwhile. Look again and repeat.',
      });
    }
  }

  private clusterRows(projectId: string) {
    return this.db
      .selectFrom('bucket_clusters')
      .select(['cluster_id as clusterId', 'bucket_id as bucketId', 'category', 'detail', 'tool', 'severity'])
      .where('project_id', '=', projectId);
  }

  private listed(projectId: string) {
    return this.db
      .selectFrom('buckets')
      .where('buckets.project_id', '=', projectId)
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom('bucket_clusters')
            .select('bucket_clusters.cluster_id')
            .whereRef('bucket_clusters.project_id', '=', 'buckets.project_id')
            .whereRef('bucket_clusters.bucket_id', '=', 'buckets.id'),
        ),
      );
  }
}

async function applyEdit(
  trx: Kysely<TriageTables>,
  { projectId, edit, newBucket }: { projectId: string; edit: MapEdit; newBucket: BucketRow | undefined },
): Promise<void> {
  const { version } = await trx
    .selectFrom('bucket_map_edits')
    .select(sql<number>`coalesce(max(version), 0) + 1`.as('version'))
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow();
  const { at, kind, clusterIds, toBucketId } = edit;
  if (newBucket !== undefined) {
    const { fixedAt, policiesBefore, createdAt, ...rest } = newBucket;
    await trx
      .insertInto('buckets')
      .values({
        project_id: projectId,
        ...rest,
        fixed_at: fixedAt,
        policies_before: jsonb(policiesBefore),
        created_at: createdAt,
        updated_at: at,
      })
      .execute();
  }
  await trx
    .insertInto('bucket_map_edits')
    .values({
      project_id: projectId,
      version: Number(version),
      kind,
      edit: jsonb({ clusterIds, toBucketId }),
      at,
    })
    .execute();
  await trx
    .updateTable('bucket_clusters')
    .set({ bucket_id: toBucketId, map_version: Number(version), mapped_at: at })
    .where('project_id', '=', projectId)
    .where('cluster_id', 'in', [...clusterIds])
    .execute();
}

function rowOf(row: Selectable<BucketsTable>): BucketRow {
  return {
    id: row.id,
    agent: row.agent,
    name: row.name,
    category: row.category as FailureCategory,
    detail: row.detail,
    status: row.status as BucketStatus,
    severity: row.severity as Severity,
    owner: row.owner,
    fixedAt: row.fixed_at,
    policiesBefore: row.policies_before,
    createdAt: row.created_at,
  };
}
