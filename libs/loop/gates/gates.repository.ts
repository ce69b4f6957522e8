import { Injectable } from '@nestjs/common';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { GatePolicy, GateReport } from '#contracts/gate';
import { Postgres } from '#platform/postgres';

type JsonColumn<T> = ColumnType<T, string, string>;

interface GateReportsTable {
  project_id: string;
  id: string;
  agent: string;
  candidate_id: string;
  cycle_id: string | null;
  verdict: string;
  report: JsonColumn<GateReport>;
  policy: JsonColumn<GatePolicy>;
  created_at: Date;
}

export interface StoredGateReport {
  id: string;
  projectId: string;
  agent: string;
  candidateId: string;
  cycleId: string | null;
  report: GateReport;
  policy: GatePolicy;
  createdAt: string;
}

function reportOf(row: Selectable<GateReportsTable>): StoredGateReport {
  return {
    id: row.id,
    projectId: row.project_id,
    agent: row.agent,
    candidateId: row.candidate_id,
    cycleId: row.cycle_id,
    report: row.report,
    policy: row.policy,
    createdAt: row.created_at.toISOString(),
  };
}

/** All SQL of the gates. A report is written once and never changed. */
@Injectable()
export class GatesRepository {
  private readonly db: Kysely<{ gate_reports: GateReportsTable }>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<{ gate_reports: GateReportsTable }>();
  }

  async insertIfAbsent(stored: StoredGateReport): Promise<void> {
    await this.db
      .insertInto('gate_reports')
      .values({
        project_id: stored.projectId,
        id: stored.id,
        agent: stored.agent,
        candidate_id: stored.candidateId,
        cycle_id: stored.cycleId,
        verdict: stored.report.verdict,
        report: JSON.stringify(stored.report),
        policy: JSON.stringify(stored.policy),
        created_at: new Date(stored.createdAt),
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute();
  }

  async find(projectId: string, id: string): Promise<StoredGateReport | null> {
    const row = await this.db
      .selectFrom('gate_reports')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? reportOf(row) : null;
  }

  async list(projectId: string, page: { limit: number; before: string | null }): Promise<StoredGateReport[]> {
    let query = this.db.selectFrom('gate_reports').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    return (await query.orderBy('id', 'desc').limit(page.limit).execute()).map(reportOf);
  }
}
