import { Injectable } from '@nestjs/common';
import type { Kysely, Selectable } from 'kysely';
import { Split } from '#contracts/environment';
import { jsonb, Postgres } from '#platform/postgres';
import type { FrozenCase } from './domain/freeze.js';
import type { EvalCasesTable, EvalsTables } from './evals.tables.js';

export type EvalCaseStatus = 'draft' | 'ready' | 'rejected';

/** A frozen case without its payload: what may be shown of a sealed one. */
export interface EvalCase {
  id: string;
  agent: string;
  bucketId: string;
  trajectoryId: string;
  lineageKey: string;
  family: string;
  slice: string;
  split: Split;
  status: EvalCaseStatus;
  note: string;
  createdAt: string;
}

/** As stored: the payload in clear text, or sealed where it is held out. */
export interface StoredEvalCase extends EvalCase {
  payload: FrozenCase | null;
  sealed: string | null;
}

export interface CaseFilter {
  agent?: string | undefined;
  status?: EvalCaseStatus | undefined;
  limit: number;
  before: string | null;
}

function caseOf(row: Selectable<EvalCasesTable>): StoredEvalCase {
  return {
    id: row.id,
    agent: row.agent,
    bucketId: row.bucket_id,
    trajectoryId: row.trajectory_id,
    lineageKey: row.lineage_key,
    family: row.family,
    slice: row.slice,
    split: Split.parse(row.split),
    status: row.status as EvalCaseStatus,
    note: row.note,
    createdAt: row.created_at.toISOString(),
    payload: row.payload as FrozenCase | null,
    sealed: row.sealed,
  };
}

/** All SQL of eval cases. */
@Injectable()
export class EvalCasesRepository {
  private readonly db: Kysely<EvalsTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<EvalsTables>();
  }

  /** A case that exists stays as it is: a person may have edited it. */
  async insertIfAbsent(projectId: string, each: StoredEvalCase): Promise<void> {
    await this.db
      .insertInto('eval_cases')
      .values({
        project_id: projectId,
        id: each.id,
        agent: each.agent,
        bucket_id: each.bucketId,
        trajectory_id: each.trajectoryId,
        lineage_key: each.lineageKey,
        family: each.family,
        slice: each.slice,
        split: each.split,
        status: each.status,
        note: each.note,
        payload: each.payload === null ? null : jsonb(each.payload),
        sealed: each.sealed,
        created_at: new Date(each.createdAt),
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute();
  }

  async find(projectId: string, id: string): Promise<StoredEvalCase | null> {
    const row = await this.db
      .selectFrom('eval_cases')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? caseOf(row) : null;
  }

  async findAll(projectId: string, ids: readonly string[]): Promise<StoredEvalCase[]> {
    if (ids.length === 0) return [];
    const rows = await this.db
      .selectFrom('eval_cases')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', 'in', [...ids])
      .orderBy('id')
      .execute();
    return rows.map(caseOf);
  }

  async list(projectId: string, filter: CaseFilter): Promise<StoredEvalCase[]> {
    let query = this.db.selectFrom('eval_cases').selectAll().where('project_id', '=', projectId);
    if (filter.agent !== undefined) query = query.where('agent', '=', filter.agent);
    if (filter.status !== undefined) query = query.where('status', '=', filter.status);
    if (filter.before !== null) query = query.where('id', '<', filter.before);
    return (await query.orderBy('id', 'desc').limit(filter.limit).execute()).map(caseOf);
  }

  async update(
    projectId: string,
    id: string,
    to: { status: EvalCaseStatus; note: string; payload: FrozenCase | null; sealed: string | null },
  ): Promise<void> {
    await this.db
      .updateTable('eval_cases')
      .set({ ...to, payload: to.payload === null ? null : jsonb(to.payload) })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .execute();
  }

  async count(projectId: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('eval_cases')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}
