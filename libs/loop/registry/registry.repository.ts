import { Injectable } from '@nestjs/common';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { AgentRef } from '#contracts/policy';
import { AppError } from '#kernel/errors';
import { Postgres } from '#platform/postgres';
import type { AdmissionResult } from './domain/admission.js';
import type { CandidateState } from './domain/states.js';
import type { CandidatesTable, RegistryTables } from './registry.tables.js';

export interface Candidate {
  id: string;
  projectId: string;
  agent: string;
  kind: 'base' | 'adapter';
  /** Content name; what the gateway shows as `model`. */
  policyName: string;
  agentRef: AgentRef;
  agentRefDigest: string;
  state: CandidateState;
  parentId: string | null;
  runId: string | null;
  cycleId: string | null;
  adapterDir: string | null;
  admission: AdmissionResult | null;
  gateReportId: string | null;
  createdAt: string;
}

export interface RegistryEvent {
  id: string;
  agent: string;
  candidateId: string;
  fromState: string | null;
  toState: string;
  actor: string;
  reason: string;
  replacedId: string | null;
  at: string;
}

export interface Move {
  eventId: string;
  projectId: string;
  candidateId: string;
  to: CandidateState;
  actor: string;
  reason: string;
  at: Date;
}

function candidateOf(row: Selectable<CandidatesTable>): Candidate {
  return {
    id: row.id,
    projectId: row.project_id,
    agent: row.agent,
    kind: row.kind === 'base' ? 'base' : 'adapter',
    policyName: row.policy_name,
    agentRef: row.agent_ref,
    agentRefDigest: row.agent_ref_digest,
    state: row.state,
    parentId: row.parent_id,
    runId: row.run_id,
    cycleId: row.cycle_id,
    adapterDir: row.adapter_dir,
    admission: row.admission,
    gateReportId: row.gate_report_id,
    createdAt: row.created_at.toISOString(),
  };
}

/** All SQL of the registry. Moves and the production pointer change in one transaction with their audit row. */
@Injectable()
export class RegistryRepository {
  private readonly db: Kysely<RegistryTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<RegistryTables>();
  }

  async insertIfAbsent(candidate: Candidate): Promise<void> {
    await this.db
      .insertInto('candidates')
      .values({
        project_id: candidate.projectId,
        id: candidate.id,
        agent: candidate.agent,
        kind: candidate.kind,
        policy_name: candidate.policyName,
        agent_ref: JSON.stringify(candidate.agentRef),
        agent_ref_digest: candidate.agentRefDigest,
        state: candidate.state,
        parent_id: candidate.parentId,
        run_id: candidate.runId,
        cycle_id: candidate.cycleId,
        adapter_dir: candidate.adapterDir,
        admission: candidate.admission === null ? null : JSON.stringify(candidate.admission),
        gate_report_id: candidate.gateReportId,
        created_at: new Date(candidate.createdAt),
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute();
  }

  async find(projectId: string, id: string): Promise<Candidate | null> {
    const row = await this.db
      .selectFrom('candidates')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row ? candidateOf(row) : null;
  }

  async list(
    projectId: string,
    page: { limit: number; before: string | null; kind?: Candidate['kind'] },
  ): Promise<Candidate[]> {
    let query = this.db.selectFrom('candidates').selectAll().where('project_id', '=', projectId);
    if (page.before !== null) query = query.where('id', '<', page.before);
    if (page.kind !== undefined) query = query.where('kind', '=', page.kind);
    return (await query.orderBy('id', 'desc').limit(page.limit).execute()).map(candidateOf);
  }

  async countAdapters(projectId: string): Promise<number> {
    const { count } = await this.db
      .selectFrom('candidates')
      .select((eb) => eb.fn.countAll().as('count'))
      .where('project_id', '=', projectId)
      .where('kind', '=', 'adapter')
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async productionId(projectId: string, agent: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('agents')
      .select('production_id')
      .where('project_id', '=', projectId)
      .where('agent', '=', agent)
      .executeTakeFirst();
    return row?.production_id ?? null;
  }

  async agents(projectId: string): Promise<{ agent: string; productionId: string }[]> {
    const rows = await this.db.selectFrom('agents').selectAll().where('project_id', '=', projectId).execute();
    return rows.map((row) => ({ agent: row.agent, productionId: row.production_id }));
  }

  /** First production candidate of an agent; does nothing when it has one. */
  async installFirst(move: Move, agent: string): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const inserted = await trx
        .insertInto('agents')
        .values({
          project_id: move.projectId,
          agent,
          production_id: move.candidateId,
          version: 1,
          updated_at: move.at,
        })
        .onConflict((conflict) => conflict.columns(['project_id', 'agent']).doNothing())
        .executeTakeFirst();
      if (Number(inserted.numInsertedOrUpdatedRows ?? 0n) === 0) return;
      await this.move(trx, move, null);
    });
  }

  /** One audited move of a candidate that does not touch who serves. */
  async transition(move: Move, from: readonly CandidateState[]): Promise<void> {
    await this.db.transaction().execute((trx) => this.move(trx, move, from));
  }

  /**
   * Compare-and-set of who serves, with both audited moves.
   * @throws AppError resource.conflict when somebody else moved it first.
   */
  async swapProduction(
    agent: string,
    expectedId: string,
    promoted: { move: Move; from: readonly CandidateState[] },
    replaced: Move,
  ): Promise<void> {
    await this.db.transaction().execute(async (trx) => {
      const updated = await trx
        .updateTable('agents')
        .set((eb) => ({
          production_id: promoted.move.candidateId,
          version: eb('version', '+', 1),
          updated_at: promoted.move.at,
        }))
        .where('project_id', '=', promoted.move.projectId)
        .where('agent', '=', agent)
        .where('production_id', '=', expectedId)
        .executeTakeFirst();
      if (updated.numUpdatedRows !== 1n) {
        throw new AppError('resource.conflict', {
          public: 'Another version was put into production meanwhile; look again and repeat.',
          detail: { agent, expectedId },
        });
      }
      await this.move(trx, replaced, ['production']);
      await this.move(trx, promoted.move, promoted.from, expectedId);
    });
  }

  /**
   * The candidate that a production version replaced when it was promoted, or null. A restore is no promotion: rolling back
   * twice goes two versions back and never forward again.
   */
  async replacedBy(projectId: string, productionId: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('registry_events')
      .select('replaced_id')
      .where('project_id', '=', projectId)
      .where('candidate_id', '=', productionId)
      .where('to_state', '=', 'production')
      .where('from_state', 'in', ['candidate', 'gated', 'canary'])
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.replaced_id ?? null;
  }

  async events(projectId: string, agent: string, limit: number): Promise<RegistryEvent[]> {
    const rows = await this.db
      .selectFrom('registry_events')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('agent', '=', agent)
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      agent: row.agent,
      candidateId: row.candidate_id,
      fromState: row.from_state,
      toState: row.to_state,
      actor: row.actor,
      reason: row.reason,
      replacedId: row.replaced_id,
      at: row.at.toISOString(),
    }));
  }

  async setGateReport(projectId: string, candidateId: string, gateReportId: string): Promise<void> {
    await this.db
      .updateTable('candidates')
      .set({ gate_report_id: gateReportId })
      .where('project_id', '=', projectId)
      .where('id', '=', candidateId)
      .execute();
  }

  private async move(
    trx: Transaction<RegistryTables>,
    move: Move,
    from: readonly CandidateState[] | null,
    replacedId: string | null = null,
  ): Promise<void> {
    const row = await trx
      .selectFrom('candidates')
      .select(['agent', 'state'])
      .where('project_id', '=', move.projectId)
      .where('id', '=', move.candidateId)
      .forUpdate()
      .executeTakeFirst();
    if (!row)
      throw new AppError('resource.not_found', { public: `There is no candidate ${move.candidateId}.` });
    if (from !== null && !from.includes(row.state)) {
      throw new AppError('resource.conflict', {
        public: `A candidate in state "${row.state}" cannot become "${move.to}".`,
        detail: { candidateId: move.candidateId },
      });
    }
    await trx
      .updateTable('candidates')
      .set({ state: move.to })
      .where('project_id', '=', move.projectId)
      .where('id', '=', move.candidateId)
      .execute();
    await trx
      .insertInto('registry_events')
      .values({
        project_id: move.projectId,
        id: move.eventId,
        agent: row.agent,
        candidate_id: move.candidateId,
        from_state: row.state,
        to_state: move.to,
        actor: move.actor,
        reason: move.reason,
        replaced_id: replacedId,
        at: move.at,
      })
      .execute();
  }
}
