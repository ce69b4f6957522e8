import { Injectable } from '@nestjs/common';
import type { ColumnType, Kysely, Selectable } from 'kysely';
import type { EnvironmentDefinition, TaskQuery } from '#contracts/environment';
import type { EnvironmentFacts } from '#loop/evals';
import { jsonb, Postgres } from '#platform/postgres';
import type { AdmissionReport } from './domain/admission.js';
import type { SelfProof } from './domain/self-proof.js';

type Json<T> = ColumnType<T, T, T>;

/** Facts of a version, and the eval cases that a next-action one was made of. */
export interface VersionFacts extends EnvironmentFacts {
  caseIds: string[];
}

interface EnvironmentsTables {
  environment_versions: {
    project_id: string;
    id: string;
    name: string;
    version: string;
    digest: string;
    fidelity: string;
    agent: string;
    facts: Json<VersionFacts>;
    proof: Json<SelfProof>;
    created_at: Date;
  };
  environment_task_sets: {
    project_id: string;
    environment_id: string;
    id: string;
    query: Json<TaskQuery>;
    created_at: Date;
  };
  verifier_admissions: {
    project_id: string;
    environment_id: string;
    verifier: string;
    report: Json<AdmissionReport>;
    created_at: Date;
  };
}

export interface VersionPage {
  agent?: string;
  limit: number;
  before: { id: string; agent: string } | null;
}

/** A version registered for an agent; several agents may share one. */
export interface EnvironmentVersion {
  id: string;
  agent: string;
  facts: VersionFacts;
  proof: SelfProof;
  createdAt: string;
}

function versionOf(row: Selectable<EnvironmentsTables['environment_versions']>): EnvironmentVersion {
  return {
    id: row.id,
    agent: row.agent,
    facts: row.facts,
    proof: row.proof,
    createdAt: row.created_at.toISOString(),
  };
}

/** All SQL of environments. */
@Injectable()
export class EnvironmentsRepository {
  private readonly db: Kysely<EnvironmentsTables>;

  constructor(postgres: Postgres) {
    this.db = postgres.tables<EnvironmentsTables>();
  }

  async insertIfAbsent(projectId: string, version: EnvironmentVersion): Promise<void> {
    const { facts } = version;
    await this.db
      .insertInto('environment_versions')
      .values({
        project_id: projectId,
        id: version.id,
        name: facts.name,
        version: facts.version,
        digest: facts.digest,
        fidelity: facts.fidelity,
        agent: version.agent,
        facts: jsonb(facts),
        proof: jsonb(version.proof),
        created_at: new Date(version.createdAt),
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'id', 'agent']).doNothing())
      .execute();
  }

  async find(projectId: string, id: string): Promise<EnvironmentVersion | null> {
    const row = await this.db
      .selectFrom('environment_versions')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .orderBy('agent')
      .limit(1)
      .executeTakeFirst();
    return row ? versionOf(row) : null;
  }

  async list(projectId: string, page: VersionPage): Promise<EnvironmentVersion[]> {
    let query = this.db.selectFrom('environment_versions').selectAll().where('project_id', '=', projectId);
    if (page.agent !== undefined) query = query.where('agent', '=', page.agent);
    const { before } = page;
    if (before !== null) {
      query = query.where((eb) => eb(eb.refTuple('id', 'agent'), '<', eb.tuple(before.id, before.agent)));
    }
    const rows = await query.orderBy('id', 'desc').orderBy('agent', 'desc').limit(page.limit).execute();
    return rows.map(versionOf);
  }

  /** A frozen next action says less than an environment with a state: it serves only where there is no other. */
  async newest(projectId: string, agent: string): Promise<EnvironmentVersion | null> {
    const row = await this.db
      .selectFrom('environment_versions')
      .selectAll()
      .where('project_id', '=', projectId)
      .where('agent', '=', agent)
      .orderBy((eb) => eb('fidelity', '=', 'next-action'))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row ? versionOf(row) : null;
  }

  async addTaskSet(
    of: { projectId: string; environmentId: string; id: string; query: TaskQuery },
    at: Date,
  ): Promise<void> {
    await this.db
      .insertInto('environment_task_sets')
      .values({
        project_id: of.projectId,
        environment_id: of.environmentId,
        id: of.id,
        query: jsonb(of.query),
        created_at: at,
      })
      .onConflict((conflict) => conflict.columns(['project_id', 'environment_id', 'id']).doNothing())
      .execute();
  }

  async taskSets(projectId: string, environmentId: string): Promise<{ id: string; query: TaskQuery }[]> {
    return this.db
      .selectFrom('environment_task_sets')
      .select(['id', 'query'])
      .where('project_id', '=', projectId)
      .where('environment_id', '=', environmentId)
      .orderBy('created_at')
      .execute();
  }

  async putAdmission(
    projectId: string,
    environmentId: string,
    report: AdmissionReport,
    at: Date,
  ): Promise<void> {
    await this.db
      .insertInto('verifier_admissions')
      .values({
        project_id: projectId,
        environment_id: environmentId,
        verifier: report.verifier,
        report: jsonb(report),
        created_at: at,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['project_id', 'environment_id', 'verifier'])
          .doUpdateSet({ report: jsonb(report), created_at: at }),
      )
      .execute();
  }

  async admission(
    projectId: string,
    environmentId: string,
    verifier: string,
  ): Promise<AdmissionReport | null> {
    const row = await this.db
      .selectFrom('verifier_admissions')
      .select('report')
      .where('project_id', '=', projectId)
      .where('environment_id', '=', environmentId)
      .where('verifier', '=', verifier)
      .executeTakeFirst();
    return row?.report ?? null;
  }
}

export function factsOf(id: string, definition: EnvironmentDefinition, caseIds: string[] = []): VersionFacts {
  return {
    id,
    name: definition.name,
    version: definition.version,
    digest: definition.digest,
    fidelity: definition.fidelity,
    maxTurns: definition.maxTurns,
    tools: definition.tools,
    verifiers: Object.keys(definition.verifiers),
    defaultVerifier: definition.defaultVerifier,
    independentVerifier: definition.independentVerifier,
    slices: [...definition.slices],
    caseIds,
  };
}
