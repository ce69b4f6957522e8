import { Injectable } from '@nestjs/common';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { Cycle, CycleStage } from '#contracts/cycle';
import type { Recipe } from '#contracts/recipe';
import { AppError } from '#kernel/errors';
import { Postgres } from '#platform/postgres';

type JsonColumn<T> = ColumnType<T, string, string>;

interface CyclesTable {
  project_id: string;
  id: string;
  agent: string;
  recipe: JsonColumn<Recipe>;
  trigger: Cycle['trigger'];
  seed: number;
  state: Cycle['state'];
  verdict: Cycle['verdict'];
  reason: string | null;
  stages: JsonColumn<CycleStage[]>;
  fencing: number;
  training_run_id: string | null;
  candidate_id: string | null;
  gate_report_id: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export interface StoredCycle {
  cycle: Cycle;
  recipe: Recipe;
  fencing: number;
}

/** Members of a turn that change while it runs. */
export type CycleChange = Partial<
  Pick<
    Cycle,
    'state' | 'verdict' | 'reason' | 'stages' | 'trainingRunId' | 'candidateId' | 'gateReportId' | 'endedAt'
  >
>;

function cycleOf(row: Selectable<CyclesTable>): StoredCycle {
  return {
    recipe: row.recipe,
    fencing: row.fencing,
    cycle: {
      id: row.id,
      projectId: row.project_id,
      agent: row.agent,
      recipe: row.recipe.name,
      trigger: row.trigger,
      seed: row.seed,
      state: row.state,
      verdict: row.verdict,
      reason: row.reason,
      stages: row.stages,
      trainingRunId: row.training_run_id,
      candidateId: row.candidate_id,
      gateReportId: row.gate_report_id,
      createdAt: row.created_at.toISOString(),
      endedAt: row.ended_at?.toISOString() ?? null,
    },
  };
}

/** All SQL of cycles. Every write of a turn carries the fencing number of its job; an older one is refused. */
@Injectable()
export class CyclesRepository {
  private readonly db: Kysely<{ cycles: CyclesTable }>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<{ cycles: CyclesTable }>();
  }

  async insert(cycle: Cycle, recipe: Recipe): Promise<void> {
    await this.db
      .insertInto('cycles')
      .values({
        project_id: cycle.projectId,
        id: cycle.id,
        agent: cycle.agent,
        recipe: JSON.stringify(recipe),
        trigger: cycle.trigger,
        seed: cycle.seed,
        state: cycle.state,
        verdict: cycle.verdict,
        reason: cycle.reason,
        stages: JSON.stringify(cycle.stages),
        fencing: 0,
        training_run_id: null,
        candidate_id: null,
        gate_report_id: null,
        created_at: new Date(cycle.createdAt),
        ended_at: null,
      })
      .execute();
  }

  /** Takes back a turn that never started. */
  async remove(projectId: string, id: string): Promise<void> {
    await this.db
      .deleteFrom('cycles')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute();
  }

  async find(projectId: string, id: string): Promise<StoredCycle | null> {
    const row = await this.db
      .selectFrom('cycles')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? cycleOf(row) : null;
  }

  async list(projectId: string, page: { limit: number; before: string | null }): Promise<Cycle[]> {
    let query = this.db.selectFrom('cycles').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    return (await query.orderBy('id', 'desc').limit(page.limit).execute()).map((row) => cycleOf(row).cycle);
  }

  /** Turns of an agent that are not over. */
  async open(projectId: string, agent: string): Promise<Cycle[]> {
    const rows = await this.db
      .selectFrom('cycles')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('agent', '=', agent)
      .where('state', 'in', ['queued', 'running'])
      .orderBy('id')
      .execute();
    return rows.map((row) => cycleOf(row).cycle);
  }

  /** Turns of every project that are not over: for the sweep that ends abandoned ones. */
  async openEverywhere(): Promise<StoredCycle[]> {
    const rows = await this.db
      .selectFrom('cycles')
      .selectAll()
      .where('state', 'in', ['queued', 'running'])
      .orderBy('project_id')
      .orderBy('id')
      .execute();
    return rows.map(cycleOf);
  }

  /** Takes the turn over under a higher fencing number. @throws AppError fencing.stale */
  async takeOver(projectId: string, id: string, fencing: number): Promise<StoredCycle> {
    const row = await this.db
      .updateTable('cycles')
      .set((eb) => ({
        fencing,
        // A turn that is over stays over, whoever looks at it again.
        state: eb
          .case()
          .when('state', '=', 'queued')
          .then('running' as const)
          .else(eb.ref('state'))
          .end(),
      }))
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('fencing', '<', fencing)
      .returningAll()
      .executeTakeFirst();
    if (row) return cycleOf(row);
    throw staleCycle(id, fencing);
  }

  /** @throws AppError fencing.stale when a later attempt took the turn over. */
  async update(stored: StoredCycle, change: CycleChange): Promise<StoredCycle> {
    const { projectId, id } = stored.cycle;
    const row = await this.db
      .updateTable('cycles')
      .set({
        ...(change.state !== undefined ? { state: change.state } : {}),
        ...(change.verdict !== undefined ? { verdict: change.verdict } : {}),
        ...(change.reason !== undefined ? { reason: change.reason } : {}),
        ...(change.stages !== undefined ? { stages: JSON.stringify(change.stages) } : {}),
        ...(change.trainingRunId !== undefined ? { training_run_id: change.trainingRunId } : {}),
        ...(change.candidateId !== undefined ? { candidate_id: change.candidateId } : {}),
        ...(change.gateReportId !== undefined ? { gate_report_id: change.gateReportId } : {}),
        ...(change.endedAt !== undefined
          ? { ended_at: change.endedAt === null ? null : new Date(change.endedAt) }
          : {}),
      })
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .where('fencing', '=', stored.fencing)
      .returningAll()
      .executeTakeFirst();
    if (row) return cycleOf(row);
    throw staleCycle(id, stored.fencing);
  }
}

function staleCycle(id: string, fencing: number): AppError {
  return new AppError('fencing.stale', {
    public: `Cycle ${id} belongs to a later attempt; this one may not write.`,
    detail: { fencing },
  });
}
