/** What evals need of a later stage, and of the earlier ones; environments implement the first two, the app binds them. */
import type { ToolDefinition } from '#contracts/chat';
import type { EnvironmentTask, TaskQuery } from '#contracts/environment';
import type { FailureCategory } from '#contracts/failure';
import type { Arm, Rollout } from '#contracts/rollout';
import type { Trajectory } from '#contracts/trajectory';

/** One side of a measurement: where the policy answers, and the name it has there. */
export interface ArmPolicy {
  /** OpenAI-compatible, with or without `/v1`. */
  baseUrl: string;
  key?: string;
  model: string;
  timeoutMs?: number;
}

/** How a measurement is made; the same for every arm. */
export interface RunSettings {
  repeats: number;
  seed: number;
  sampling: { temperature: number; topP: number; maxTokens: number };
  /** Null: unknown, and so are the costs. */
  price: { inputPerMillionUsd: number; outputPerMillionUsd: number } | null;
  /** Null: the environment's own. */
  verifiers: { paid: string; independent: string } | null;
  concurrency: number;
}

export interface CaseRunRequest extends RunSettings {
  projectId: string;
  runId: string;
  /** Of the attempt: rollouts of an older one give way. */
  fencing: number;
  environmentId: string;
  cases: readonly { caseId: string; task: EnvironmentTask }[];
  /** One arm, or several that take turns case by case. */
  arms: Readonly<Partial<Record<Arm, ArmPolicy>>>;
  signal?: AbortSignal;
  onProgress?: (done: number, of: number) => void;
}

/** Runs cases inside environments and keeps every rollout. */
export abstract class CaseRunner {
  /**
   * All rollouts of the run: those of an earlier attempt are taken from the store, not run again.
   * @throws the abort reason when `signal` is aborted.
   */
  abstract run(request: CaseRunRequest): Promise<Rollout[]>;

  /** What is stored of a run so far. */
  abstract stored(projectId: string, runId: string): Promise<Rollout[]>;
}

export interface EnvironmentFacts {
  /** Of this version. */
  id: string;
  name: string;
  version: string;
  digest: string;
  fidelity: 'next-action' | 'replay' | 'simulated' | 'staging';
  maxTurns: number;
  tools: ToolDefinition[];
  verifiers: string[];
  defaultVerifier: string;
  independentVerifier: string;
  slices: string[];
}

/** The registered environments, as far as evals see them. */
export abstract class EnvironmentSource {
  /** Newest version registered for the agent; null where there is none. */
  abstract forAgent(projectId: string, agent: string): Promise<EnvironmentFacts | null>;

  /** Same query, same tasks. */
  abstract draw(projectId: string, environmentId: string, query: TaskQuery): Promise<EnvironmentTask[]>;
}

export interface BucketFault {
  trajectoryId: string;
  category: FailureCategory;
  detail: string | null;
  stepIndex: number;
}

/** Buckets and the trajectories behind them. */
export abstract class FailureSource {
  abstract bucket(projectId: string, bucketId: string): Promise<{ id: string; agent: string } | null>;

  /** Newest first; root causes only, one a trajectory. */
  abstract faults(projectId: string, bucketId: string, limit: number): Promise<BucketFault[]>;

  /** Those that are still stored, in no order. */
  abstract trajectories(projectId: string, ids: readonly string[]): Promise<Trajectory[]>;
}
