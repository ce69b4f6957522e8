/** Trajectory ↔ row of the table `trajectories`. */
import type { Trajectory } from '#contracts/trajectory';
import { wellFormed, without } from './domain/json.js';
import type { SummaryRow, WholeRow } from './trajectories.queries.js';

/** What lists show: everything but steps, tools and metadata. */
export type TrajectorySummary = Omit<Trajectory, 'steps' | 'tools' | 'metadata'> & {
  stepCount: number;
  messageCount: number;
  modelCallCount: number;
};

export function summaryOf(row: SummaryRow): TrajectorySummary {
  const {
    outcomeValue,
    outcomeSource,
    outcomeConfidence,
    inputTokens,
    outputTokens,
    cacheReadTokens,
    reasoningTokens,
    ...same
  } = row;
  return {
    ...same,
    outcome: { value: outcomeValue, source: outcomeSource, confidence: outcomeConfidence },
    usage: { inputTokens, outputTokens, cacheReadTokens, reasoningTokens },
  };
}

export function trajectoryOf({ tools, metadata, steps, ...row }: WholeRow): Trajectory {
  return {
    ...without(summaryOf(row), 'stepCount', 'messageCount', 'modelCallCount'),
    tools: tools as Trajectory['tools'],
    metadata: metadata as Trajectory['metadata'],
    steps: steps as Trajectory['steps'],
  };
}

/** Messages of the source where it counted them, else every step that says something in the conversation. */
export function messageCountOf(trajectory: Pick<Trajectory, 'steps'>): number {
  const indexes = new Set(trajectory.steps.flatMap((step) => step.sourceIndex ?? []));
  return indexes.size > 0
    ? indexes.size
    : trajectory.steps.filter((step) => step.kind !== 'intervention').length;
}

export interface RowVersion {
  contentHash: string;
  storedSeq: bigint;
  retracted: boolean;
}

export type StoredRow = ReturnType<typeof rowOf>;

/** The row of `trajectory_list`: without what only the detail shows. */
export function listRowOf(row: StoredRow): object {
  return without(row, 'content_hash', 'stored_seq', 'tools', 'metadata', 'steps');
}

export function rowOf(trajectory: Trajectory, version: RowVersion) {
  return {
    project_id: trajectory.projectId,
    trajectory_id: trajectory.id,
    revision: trajectory.revision,
    retracted: version.retracted ? 1 : 0,
    stored_seq: version.storedSeq,
    content_hash: version.contentHash,
    external_id: wellFormed(trajectory.externalId),
    source: trajectory.source,
    agent: wellFormed(trajectory.agent),
    agent_ref: trajectory.agentRef,
    policy: trajectory.policy,
    session_id: trajectory.sessionId === null ? null : wellFormed(trajectory.sessionId),
    trace_id: trajectory.traceId,
    outcome: trajectory.outcome.value,
    outcome_source: trajectory.outcome.source,
    outcome_confidence: trajectory.outcome.confidence,
    reward: trajectory.reward,
    started_at_ns: trajectory.startedAtNs,
    ended_at_ns: trajectory.endedAtNs,
    step_count: trajectory.steps.length,
    message_count: messageCountOf(trajectory),
    model_call_count: trajectory.steps.filter((step) => step.kind === 'model_call').length,
    input_tokens: trajectory.usage.inputTokens,
    output_tokens: trajectory.usage.outputTokens,
    cache_read_tokens: trajectory.usage.cacheReadTokens ?? null,
    reasoning_tokens: trajectory.usage.reasoningTokens ?? null,
    cost_usd: trajectory.costUsd,
    tools: JSON.stringify(trajectory.tools),
    metadata: JSON.stringify(trajectory.metadata),
    steps: JSON.stringify(trajectory.steps),
  };
}
