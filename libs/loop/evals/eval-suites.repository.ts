import { Injectable } from '@nestjs/common';
import type { Kysely, Selectable } from 'kysely';
import { Split } from '#contracts/environment';
import { isUniqueViolation, jsonb, Postgres } from '#platform/postgres';
import type { EvalSuitesTable, EvalsTables } from './evals.tables.js';

export type SuiteKind = 'traffic' | 'safety' | 'buckets';

/** A version of a suite. Once stored it never changes, except that it is retired. */
export interface EvalSuite {
  id: string;
  agent: string;
  kind: SuiteKind;
  version: number;
  environmentId: string;
  split: Split;
  spec: SuiteSpec;
  specDigest: string;
  cases: number;
  /** Sorted, each once. */
  lineageKeys: string[];
  /** Verdicts read from it, of how many it bears. */
  readings: { used: number; budget: number };
  retiredAt: string | null;
  createdAt: string;
}

/** What was asked for; equal specs are one version until its readings are used up. */
export interface SuiteSpec {
  cases: number;
  /** Buckets and the slices their failures were in. */
  buckets: { id: string; slices: string[] }[];
}

export interface StoredSuiteCase {
  caseId: string;
  lineageKey: string;
  slice: string;
  bucketIds: string[];
  payload: unknown;
  sealed: string | null;
}

/** Cases a statement inserts at once: nine columns each, far below the protocol's limit of parameters. */
const INSERT_CHUNK = 500;

/** All SQL of suites, their cases and readings. */
@Injectable()
export class EvalSuitesRepository {
  private readonly db: Kysely<EvalsTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<EvalsTables>();
  }

  /** Stores a version with its cases in one transaction. @returns false where somebody else stored that version first. */
  async insert(projectId: string, suite: EvalSuite, cases: readonly StoredSuiteCase[]): Promise<boolean> {
    const rows = cases.map((each, position) => ({
      project_id: projectId,
      suite_id: suite.id,
      case_id: each.caseId,
      position,
      lineage_key: each.lineageKey,
      slice: each.slice,
      bucket_ids: jsonb(each.bucketIds),
      payload: each.payload === null ? null : jsonb(each.payload),
      sealed: each.sealed,
    }));
    try {
      await this.db.transaction().execute(async (trx) => {
        await trx.insertInto('eval_suites').values(rowOf(projectId, suite)).execute();
        for (let at = 0; at < rows.length; at += INSERT_CHUNK) {
          await trx
            .insertInto('eval_suite_cases')
            .values(rows.slice(at, at + INSERT_CHUNK))
            .execute();
        }
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  async find(projectId: string, id: string): Promise<EvalSuite | null> {
    const row = await this.db
      .selectFrom('eval_suites')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? this.withReadings(projectId, row) : null;
  }

  /** Newest version of the agent's suite of this kind and split, retired or not. */
  async newest(
    projectId: string,
    of: Pick<EvalSuite, 'agent' | 'kind' | 'split'>,
  ): Promise<EvalSuite | null> {
    const row = await this.db
      .selectFrom('eval_suites')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('agent', '=', of.agent)
      .where('kind', '=', of.kind)
      .where('split', '=', of.split)
      .orderBy('version', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ? this.withReadings(projectId, row) : null;
  }

  /** Cases of all suites and versions. */
  async caseCount(projectId: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('eval_suites')
      .select((eb) => eb.fn.sum('case_count').as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    return Number(count ?? 0);
  }

  async list(projectId: string, page: { limit: number; before: string | null }): Promise<EvalSuite[]> {
    let query = this.db.selectFrom('eval_suites').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    const rows = await query.orderBy('id', 'desc').limit(page.limit).execute();
    return Promise.all(rows.map((row) => this.withReadings(projectId, row)));
  }

  async cases(projectId: string, suiteId: string): Promise<StoredSuiteCase[]> {
    const rows = await this.db
      .selectFrom('eval_suite_cases')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('suite_id', '=', suiteId)
      .orderBy('position')
      .execute();
    return rows.map((row) => ({
      caseId: row.case_id,
      lineageKey: row.lineage_key,
      slice: row.slice,
      bucketIds: row.bucket_ids,
      payload: row.payload,
      sealed: row.sealed,
    }));
  }

  async retire(projectId: string, id: string, at: Date): Promise<void> {
    await this.db
      .updateTable('eval_suites')
      .set({ retired_at: at })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('retired_at', 'is', null)
      .execute();
  }

  /** A verdict counts once, however often it is written. */
  async addReading(projectId: string, suiteId: string, verdictId: string, at: Date): Promise<void> {
    await this.db
      .insertInto('eval_suite_readings')
      .values({ project_id: projectId, suite_id: suiteId, verdict_id: verdictId, read_at: at })
      .onConflict((conflict) => conflict.columns(['project_id', 'suite_id', 'verdict_id']).doNothing())
      .execute();
  }

  /** Verdicts read from the version, without this one. */
  async readingsBeside(projectId: string, suiteId: string, verdictId: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('eval_suite_readings')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .where('suite_id', '=', suiteId)
      .where('verdict_id', '<>', verdictId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  private async withReadings(projectId: string, row: Selectable<EvalSuitesTable>): Promise<EvalSuite> {
    const { count } = await this.db
      .selectFrom('eval_suite_readings')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('project_id', '=', projectId)
      .where('suite_id', '=', row.id)
      .executeTakeFirstOrThrow();
    return suiteOf(row, Number(count));
  }
}

function rowOf(projectId: string, suite: EvalSuite) {
  return {
    project_id: projectId,
    id: suite.id,
    agent: suite.agent,
    kind: suite.kind,
    version: suite.version,
    environment_id: suite.environmentId,
    split: suite.split,
    spec: jsonb(suite.spec),
    spec_digest: suite.specDigest,
    case_count: suite.cases,
    lineage_keys: jsonb(suite.lineageKeys),
    reading_budget: suite.readings.budget,
    retired_at: null,
    created_at: new Date(suite.createdAt),
  };
}

function suiteOf(row: Selectable<EvalSuitesTable>, used: number): EvalSuite {
  return {
    id: row.id,
    agent: row.agent,
    kind: row.kind as SuiteKind,
    version: row.version,
    environmentId: row.environment_id,
    split: Split.parse(row.split),
    spec: row.spec as SuiteSpec,
    specDigest: row.spec_digest,
    cases: row.case_count,
    lineageKeys: row.lineage_keys,
    readings: { used, budget: row.reading_budget },
    retiredAt: row.retired_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
  };
}
