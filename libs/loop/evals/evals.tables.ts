import type { ColumnType } from 'kysely';
import type { EvalRunSummary } from './eval-runs.service.js';

/** jsonb: read as data, written by `jsonb()`. */
type Json<T> = ColumnType<T, T, T>;

export interface EvalCasesTable {
  project_id: string;
  id: string;
  agent: string;
  bucket_id: string;
  trajectory_id: string;
  lineage_key: string;
  family: string;
  slice: string;
  split: string;
  status: string;
  note: string;
  payload: Json<unknown>;
  sealed: string | null;
  created_at: Date;
}

export interface EvalSuitesTable {
  project_id: string;
  id: string;
  agent: string;
  kind: string;
  version: number;
  environment_id: string;
  split: string;
  spec: Json<unknown>;
  spec_digest: string;
  case_count: number;
  lineage_keys: Json<string[]>;
  reading_budget: number;
  retired_at: Date | null;
  created_at: Date;
}

export interface EvalSuiteCasesTable {
  project_id: string;
  suite_id: string;
  case_id: string;
  position: number;
  lineage_key: string;
  slice: string;
  bucket_ids: Json<string[]>;
  payload: Json<unknown>;
  sealed: string | null;
}

export interface EvalSuiteReadingsTable {
  project_id: string;
  suite_id: string;
  verdict_id: string;
  read_at: Date;
}

export interface EvalRunsTable {
  project_id: string;
  id: string;
  suite_id: string | null;
  purpose: string;
  agent: string;
  arms: Json<Record<string, string>>;
  repeats: number;
  state: string;
  fencing: number;
  summary: Json<EvalRunSummary | null>;
  error: string | null;
  created_at: Date;
  ended_at: Date | null;
}

export interface EvalsTables {
  eval_cases: EvalCasesTable;
  eval_suites: EvalSuitesTable;
  eval_suite_cases: EvalSuiteCasesTable;
  eval_suite_readings: EvalSuiteReadingsTable;
  eval_runs: EvalRunsTable;
}
