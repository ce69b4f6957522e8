import { Injectable } from '@nestjs/common';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { Recipe } from '#contracts/recipe';
import type { TrainerEvent } from '#contracts/training-job';
import { AppError } from '#kernel/errors';
import { Postgres } from '#platform/postgres';
import type { TrainingPlan } from './domain/plan.js';

type JsonColumn<T> = ColumnType<T, string, string>;
export type RunState = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

export interface RunResult {
  adapterDir: string;
  chosenStep: number;
  deltaNorm: number;
  trainSeconds: number;
}

interface RunsTable {
  project_id: string;
  id: string;
  cycle_id: string | null;
  agent: string;
  recipe: JsonColumn<Recipe>;
  seed: number;
  state: RunState;
  attempt: number;
  fencing: number;
  plan: JsonColumn<TrainingPlan | null> | null;
  manifest: JsonColumn<string[]>;
  result: JsonColumn<RunResult | null> | null;
  error: JsonColumn<{ kind: string; reason: string } | null> | null;
  created_at: Date;
  ended_at: Date | null;
}

interface EventsTable {
  project_id: string;
  run_id: string;
  attempt: number;
  seq: number;
  event: JsonColumn<TrainerEvent>;
}

interface TrainingTables {
  training_runs: RunsTable;
  training_events: EventsTable;
}

export interface TrainingRun {
  id: string;
  projectId: string;
  cycleId: string | null;
  agent: string;
  recipe: Recipe;
  seed: number;
  state: RunState;
  attempt: number;
  fencing: number;
  plan: TrainingPlan | null;
  /** Lineage keys of everything the run trains on; the gate proves it disjoint from what is held out. */
  manifest: string[];
  result: RunResult | null;
  error: { kind: string; reason: string } | null;
  createdAt: string;
  endedAt: string | null;
}

function runOf(row: Selectable<RunsTable>): TrainingRun {
  return {
    id: row.id,
    projectId: row.project_id,
    cycleId: row.cycle_id,
    agent: row.agent,
    recipe: row.recipe,
    seed: row.seed,
    state: row.state,
    attempt: row.attempt,
    fencing: row.fencing,
    plan: row.plan,
    manifest: row.manifest,
    result: row.result,
    error: row.error,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

/** All SQL of training. Every write of an attempt carries its fencing number; an older one is refused. */
@Injectable()
export class TrainingRepository {
  private readonly db: Kysely<TrainingTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<TrainingTables>();
  }

  async insertIfAbsent(run: TrainingRun): Promise<void> {
    await this.db
      .insertInto('training_runs')
      .values({
        project_id: run.projectId,
        id: run.id,
        cycle_id: run.cycleId,
        agent: run.agent,
        recipe: JSON.stringify(run.recipe),
        seed: run.seed,
        state: run.state,
        attempt: run.attempt,
        fencing: run.fencing,
        plan: run.plan === null ? null : JSON.stringify(run.plan),
        manifest: JSON.stringify(run.manifest),
        result: null,
        error: null,
        created_at: new Date(run.createdAt),
        ended_at: null,
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute();
  }

  async find(projectId: string, id: string): Promise<TrainingRun | null> {
    const row = await this.db
      .selectFrom('training_runs')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? runOf(row) : null;
  }

  async list(projectId: string, page: { limit: number; before: string | null }): Promise<TrainingRun[]> {
    let query = this.db.selectFrom('training_runs').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    return (await query.orderBy('id', 'desc').limit(page.limit).execute()).map(runOf);
  }

  async count(projectId: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('training_runs')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('project_id', '=', projectId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  /**
   * Begins the next attempt under `fencing`.
   * @throws AppError fencing.stale when a later attempt has begun.
   */
  async beginAttempt(projectId: string, id: string, fencing: number): Promise<TrainingRun> {
    const row = await this.db
      .updateTable('training_runs')
      .set((eb) => ({
        state: 'running' as const,
        fencing,
        attempt: eb('attempt', '+', 1),
        error: null,
        ended_at: null,
      }))
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('fencing', '<', fencing)
      .returningAll()
      .executeTakeFirst();
    if (row) return runOf(row);
    throw stale(id, fencing);
  }

  /** @throws AppError fencing.stale when a later attempt owns the run. */
  async appendEvent(run: TrainingRun, seq: number, event: TrainerEvent): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const owner = await trx
        .selectFrom('training_runs')
        .select('fencing')
        .where('project_id', '=', run.projectId)
        .where('id', '=', run.id)
        .forUpdate()
        .executeTakeFirst();
      if (owner?.fencing !== run.fencing || event.fencing !== run.fencing) throw stale(run.id, event.fencing);
      await trx
        .insertInto('training_events')
        .values({
          project_id: run.projectId,
          run_id: run.id,
          attempt: run.attempt,
          seq,
          event: JSON.stringify(event),
        })
        .execute();
    });
  }

  /** @throws AppError fencing.stale when a later attempt owns the run. */
  async end(
    run: TrainingRun,
    end: {
      state: RunState;
      result: RunResult | null;
      error: { kind: string; reason: string } | null;
      at: Date;
    },
  ): Promise<void> {
    const updated = await this.db
      .updateTable('training_runs')
      .set({
        state: end.state,
        result: end.result === null ? null : JSON.stringify(end.result),
        error: end.error === null ? null : JSON.stringify(end.error),
        ended_at: end.at,
      })
      .where('project_id', '=', run.projectId)
      .where('id', '=', run.id)
      .where('fencing', '=', run.fencing)
      .executeTakeFirst();
    if (updated.numUpdatedRows !== 1n) throw stale(run.id, run.fencing);
  }

  /** Events of the newest attempt after `afterSeq`, in order. */
  async events(
    projectId: string,
    runId: string,
    afterSeq: number,
    limit: number,
  ): Promise<{ seq: number; event: TrainerEvent }[]> {
    const run = await this.find(projectId, runId);
    if (run === null) return [];
    return this.db
      .selectFrom('training_events')
      .select(['seq', 'event'])
      .where('project_id', '=', projectId)
      .where('run_id', '=', runId)
      .where('attempt', '=', run.attempt)
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(limit)
      .execute();
  }
}

function stale(id: string, fencing: number): AppError {
  return new AppError('fencing.stale', {
    public: `Training run ${id} belongs to a later attempt; this one may not write.`,
    detail: { fencing },
  });
}
