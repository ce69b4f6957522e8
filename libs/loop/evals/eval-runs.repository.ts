import { Injectable } from '@nestjs/common';
import { sql, type Kysely, type Selectable } from 'kysely';
import { AppError } from '#kernel/errors';
import { jsonb, Postgres } from '#platform/postgres';
import type { EvalRunSummary } from './eval-runs.service.js';
import type { EvalRunsTable, EvalsTables } from './evals.tables.js';

export interface EvalRun {
  id: string;
  suiteId: string | null;
  purpose: 'baseline' | 'gate' | 'profile';
  agent: string;
  /** Policy that each arm is, by the name its server knows. */
  arms: Record<string, string>;
  repeats: number;
  state: 'running' | 'done' | 'failed';
  fencing: number;
  summary: EvalRunSummary | null;
  error: string | null;
  createdAt: string;
  endedAt: string | null;
}

function runOf(row: Selectable<EvalRunsTable>): EvalRun {
  return {
    id: row.id,
    suiteId: row.suite_id,
    purpose: row.purpose as EvalRun['purpose'],
    agent: row.agent,
    arms: row.arms,
    repeats: row.repeats,
    state: row.state as EvalRun['state'],
    fencing: Number(row.fencing),
    summary: row.summary,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** All SQL of eval runs. A write with an older fencing number is refused. */
@Injectable()
export class EvalRunsRepository {
  private readonly db: Kysely<EvalsTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<EvalsTables>();
  }

  /** Makes the row, or takes it over from an older attempt. @throws AppError `fencing.stale` */
  async begin(
    projectId: string,
    run: Pick<EvalRun, 'id' | 'suiteId' | 'purpose' | 'agent' | 'arms' | 'repeats' | 'fencing'>,
    at: Date,
  ): Promise<void> {
    const taken = await this.db
      .insertInto('eval_runs')
      .values({
        project_id: projectId,
        id: run.id,
        suite_id: run.suiteId,
        purpose: run.purpose,
        agent: run.agent,
        arms: jsonb(run.arms),
        repeats: run.repeats,
        state: 'running',
        fencing: run.fencing,
        summary: null,
        error: null,
        created_at: at,
        ended_at: null,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'id'])
          .doUpdateSet({ state: 'running', fencing: run.fencing, error: null, ended_at: null })
          .where('eval_runs.fencing', '<=', run.fencing),
      )
      .returning(sql<number>`1`.as('taken'))
      .execute();
    if (taken.length === 0) throw stale(run.id);
  }

  /** @throws AppError `fencing.stale` */
  async end(
    projectId: string,
    run: Pick<EvalRun, 'id' | 'fencing' | 'state' | 'summary' | 'error'>,
    at: Date,
  ): Promise<void> {
    const result = await this.db
      .updateTable('eval_runs')
      .set({
        state: run.state,
        summary: run.summary === null ? null : jsonb(run.summary),
        error: run.error,
        ended_at: at,
      })
      .where('project_id', '=', projectId)
      .where('id', '=', run.id)
      .where('fencing', '=', run.fencing)
      .executeTakeFirst();
    if (result.numUpdatedRows === 0n) throw stale(run.id);
  }

  async find(projectId: string, id: string): Promise<EvalRun | null> {
    const row = await this.db
      .selectFrom('eval_runs')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? runOf(row) : null;
  }

  async list(projectId: string, page: { limit: number; before: string | null }): Promise<EvalRun[]> {
    let query = this.db.selectFrom('eval_runs').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    return (await query.orderBy('id', 'desc').limit(page.limit).execute()).map(runOf);
  }
}

function stale(runId: string): AppError {
  return new AppError('fencing.stale', { public: `A later attempt took over the eval run ${runId}.` });
}
