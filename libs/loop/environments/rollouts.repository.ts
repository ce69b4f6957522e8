import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Rollout } from '#contracts/rollout';
import { ClickHouse, defineQuery } from '#platform/clickhouse';

const ofRun = defineQuery({
  name: 'environments.rolloutsOfRun',
  params: z.object({ projectId: z.string(), runId: z.string() }),
  row: z.object({ rollout: z.string() }),
  sql: `SELECT rollout FROM rollouts_once
        WHERE project_id = {projectId:String} AND run_id = {runId:String}
        ORDER BY arm, case_id, repeat`,
});

/** All SQL of rollouts. */
@Injectable()
export class RolloutsRepository {
  constructor(private readonly clickhouse: ClickHouse) {}

  /** Stores rollouts of an attempt; one that is there is replaced, unless a later attempt wrote it. */
  async put(projectId: string, fencing: number, rollouts: readonly Rollout[]): Promise<void> {
    await this.clickhouse.insert(
      'rollouts',
      rollouts.map((rollout) => rowOf(projectId, fencing, rollout)),
    );
  }

  async ofRun(projectId: string, runId: string): Promise<Rollout[]> {
    const rows = await this.clickhouse.query(ofRun, { projectId, runId });
    return rows.map((row) => Rollout.parse(JSON.parse(row.rollout)));
  }
}

function rowOf(projectId: string, fencing: number, rollout: Rollout): object {
  const paid = rollout.paid?.state === 'scored' ? rollout.paid : null;
  return {
    project_id: projectId,
    run_id: rollout.runId,
    arm: rollout.arm,
    case_id: rollout.caseId,
    repeat: rollout.repeat,
    fencing,
    task_id: rollout.taskId,
    lineage_key: rollout.lineageKey,
    family: rollout.family,
    slice: rollout.slice,
    state: rollout.state,
    kind: rollout.kind ?? '',
    success: paid === null ? null : Number(paid.success),
    unsafe: paid === null ? null : Number(paid.unsafe),
    reward: paid?.reward ?? null,
    prompt_tokens: rollout.promptTokens,
    completion_tokens: rollout.completionTokens,
    cost_usd: rollout.costUsd,
    duration_ms: rollout.durationMs,
    started_at: new Date(rollout.startedAtMs).toISOString(),
    rollout: JSON.stringify(rollout),
  };
}
