import type { ColumnType } from 'kysely';
import type { AgentRef } from '#contracts/policy';
import type { AdmissionResult } from './domain/admission.js';
import type { CandidateState } from './domain/states.js';

type JsonColumn<T> = ColumnType<T, string, string>;

export interface CandidatesTable {
  project_id: string;
  id: string;
  agent: string;
  kind: string;
  policy_name: string;
  agent_ref: JsonColumn<AgentRef>;
  agent_ref_digest: string;
  state: CandidateState;
  parent_id: string | null;
  run_id: string | null;
  cycle_id: string | null;
  adapter_dir: string | null;
  admission: JsonColumn<AdmissionResult | null> | null;
  gate_report_id: string | null;
  created_at: Date;
}

export interface AgentsTable {
  project_id: string;
  agent: string;
  production_id: string;
  version: number;
  updated_at: Date;
}

export interface RegistryEventsTable {
  project_id: string;
  id: string;
  agent: string;
  candidate_id: string;
  from_state: string | null;
  to_state: string;
  actor: string;
  reason: string;
  replaced_id: string | null;
  at: Date;
}

export interface RegistryTables {
  candidates: CandidatesTable;
  agents: AgentsTable;
  registry_events: RegistryEventsTable;
}
