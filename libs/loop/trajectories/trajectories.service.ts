import { Injectable } from '@nestjs/common';
import type { ModelCallCapture } from '#contracts/gateway';
import type { Trajectory } from '#contracts/trajectory';
import { AppError } from '#kernel/errors';
import type { Page } from '#platform/web';
import { SpansRepository } from './spans.repository.js';
import { TrajectoriesRepository, type ListQuery } from './trajectories.repository.js';
import type { TrajectorySummary } from './trajectory-rows.js';

export interface TrajectoryStats {
  spans: number;
  trajectories: number;
  steps: number;
  /** Model-call steps of the trajectories, and what they and no other counted. */
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
  /** The gateway's captures, each response once. */
  capturedCalls: number;
  capturedPromptTokens: number;
  capturedCompletionTokens: number;
}

export interface OutcomePoint {
  startMs: number;
  /** null where no single policy is known. */
  policy: string | null;
  success: number;
  failure: number;
  unknown: number;
}

export interface SampleQuery {
  projectId: string;
  agent: string;
  count: number;
  /** Same seed and same trajectories, same sample. */
  seed: string | number;
  outcome?: 'success' | 'failure' | 'unknown';
}

/** The stage's door for others: reads of stored trajectories, and the gateway's captures. Every call names its project. */
@Injectable()
export class Trajectories {
  constructor(
    private readonly repository: TrajectoriesRepository,
    private readonly spans: SpansRepository,
  ) {}

  /** @throws AppError resource.not_found */
  async get(projectId: string, id: string): Promise<Trajectory> {
    const found = await this.repository.get(projectId, id);
    if (found === null)
      throw new AppError('resource.not_found', { public: `There is no trajectory ${id} in this project.` });
    return found;
  }

  find(projectId: string, id: string): Promise<Trajectory | null> {
    return this.repository.get(projectId, id);
  }

  /** Those that exist, in no order. Meant for tens, not thousands. */
  getMany(projectId: string, ids: readonly string[]): Promise<Trajectory[]> {
    return this.repository.getMany(projectId, ids);
  }

  /** Newest first. */
  list(query: ListQuery): Promise<Page<TrajectorySummary>> {
    return this.repository.list(query);
  }

  /** As stored and queryable now. */
  stats(projectId: string): Promise<TrajectoryStats> {
    return this.repository.totals(projectId);
  }

  /** Resolves when stored. A call that is captured and also traced is one step, so capture before the answer goes out. */
  recordModelCalls(captures: readonly ModelCallCapture[]): Promise<void> {
    return this.spans.addModelCalls(captures);
  }

  /** Outcomes by start time in steps of `bucketMs`, by policy: the success rate of the page, the unknown share beside it. */
  async successRate(query: {
    projectId: string;
    agent: string;
    policy?: string;
    sinceMs: number;
    bucketMs: number;
  }): Promise<OutcomePoint[]> {
    const rows = await this.repository.outcomesOverTime(query);
    return rows.map(({ startNs, ...counts }) => ({ startMs: Number(startNs / 1_000_000n), ...counts }));
  }

  /** A random sample of an agent's trajectories, the same for the same seed while none is added. */
  async sample({ seed, ...query }: SampleQuery): Promise<Trajectory[]> {
    const ids = await this.repository.sampledIds({ ...query, seed: String(seed) });
    const found = new Map(
      (await this.repository.getMany(query.projectId, ids)).map((item) => [item.id, item]),
    );
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  /** Projects that hold trajectories, with their agents. */
  projects(): Promise<{ projectId: string; trajectories: number; agents: string[] }[]> {
    return this.repository.projects();
  }
}
