/**
 * tau-bench results (sierra-research/tau-bench; AgentRx's copy adds `records` and message indexes): one run a row,
 * `{task_id, trial, reward, info, traj}` with `traj` as OpenAI chat messages. The file holds no tool list.
 */
import { contentHash } from '#kernel/ids';
import { UNKNOWN_OUTCOME } from '../../domain/outcome.js';
import type { Outcome } from '../../domain/contract.js';
import { isObject, labelOf, without } from '../../domain/json.js';
import { stepsOfChat } from '../chat-steps.js';
import { BadRow, type Format, type RowTrajectory } from '../format.js';

const AGENT = 'tau-bench';

export const tauBench: Format = {
  name: 'tau-bench',
  detects: (row) => isObject(row) && Array.isArray(row['traj']) && 'task_id' in row,
  read: (row) => {
    if (!isObject(row)) throw new BadRow('the row is not an object');
    if (!Array.isArray(row['traj'])) throw new BadRow('the row has no list `traj`');
    if (row['traj'].length === 0) throw new BadRow('`traj` is empty');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, row['traj']) };
  },
};

function trajectoryOf(row: Record<string, unknown>, messages: unknown[]): RowTrajectory {
  const reward = typeof row['reward'] === 'number' ? row['reward'] : null;
  return {
    externalId: `${labelOf(row['task_id'])}/${labelOf(row['trial'] ?? 0)}`,
    agent: AGENT,
    agentRef: null,
    policy: null,
    sessionId: null,
    traceId: null,
    outcome: outcomeOf(reward),
    reward,
    tools: [],
    steps: stepsOfChat(messages, { rowId: contentHash(row), agent: AGENT }),
    metadata: metadataOf(row),
    usage: { inputTokens: null, outputTokens: null },
    costUsd: null,
  };
}

/** The reward compares the final database and the outputs with the expected ones: 1 or nothing. */
function outcomeOf(reward: number | null): Outcome {
  if (reward === null) return UNKNOWN_OUTCOME;
  return { value: reward >= 1 ? 'success' : 'failure', source: 'environment', confidence: 1 };
}

/** The source's identifiers under their own names; all that tells the answer, the hidden task included, is a label. */
function metadataOf(row: Record<string, unknown>): Record<string, unknown> {
  const { task_id, trial, reward, info, ...rest } = without(row, 'traj');
  const { task, reward_info, ...source } = isObject(info) ? info : {};
  const userId = isObject(task) ? task['user_id'] : undefined;
  const members: [string, unknown][] = [
    ['task_id', task_id],
    ['trial', trial],
    ['user_id', userId],
    ...Object.entries(source),
    ...Object.entries(rest),
    ['label.reward', reward],
    ['label.reward_info', reward_info],
    ['label.task', task],
  ];
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}
