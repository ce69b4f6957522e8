/**
 * MINT (xingyaoww/mint-bench): `{state: {history, success, …}, task: {task_id, prompt, reference}}`, one run a row. Actions are
 * `<execute>` and `<solution>` in the text; what the interpreter answers comes back as a user's message.
 */
import { contentHash } from '#kernel/ids';
import { countOf, isObject, labelOf, without } from '../../domain/json.js';
import { stepsOfChat, withRepliesObserved } from '../chat-steps.js';
import { BadRow, type Format } from '../format.js';
import { judgedOutcome, metadataOf, runOf } from '../run-row.js';

const STATE_LABELS = ['success', 'terminate_reason', 'agent_action_count', 'latest_output'] as const;

export const mint: Format = {
  name: 'mint',
  detects: (row) =>
    isObject(row) &&
    isObject(row['task']) &&
    isObject(row['state']) &&
    Array.isArray(row['state']['history']),
  read: (row) => {
    if (!isObject(row) || !isObject(row['state'])) throw new BadRow('the row has no `state`');
    const { state } = row;
    const task = isObject(row['task']) ? row['task'] : {};
    const { history } = state;
    if (!Array.isArray(history) || history.length === 0) throw new BadRow('`state.history` is empty');
    const rest = without(state, 'history', 'token_counter', ...STATE_LABELS);
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: `${labelOf(task['task_name'] ?? 'task')}/${labelOf(task['task_id'])}/${contentHash(row, 8)}`,
        agent: 'mint',
        outcome: judgedOutcome(state['success']),
        steps: withRepliesObserved(
          stepsOfChat(history, { rowId: contentHash(row), agent: 'mint' }),
          ({ content }) => content?.startsWith('Observation:') === true,
        ),
        metadata: metadataOf(
          { ...without(task, 'reference'), ...rest },
          {
            reference: task['reference'],
            ...Object.fromEntries(STATE_LABELS.map((name) => [name, state[name]])),
          },
        ),
        usage: usageOf(state['token_counter']),
      }),
    };
  },
};

/** Summed over the calls of the run. */
function usageOf(counter: unknown): { inputTokens: number | null; outputTokens: number | null } {
  const counts = isObject(counter) ? counter : {};
  return {
    inputTokens: countOf(counts['prompt_tokens']) ?? null,
    outputTokens: countOf(counts['completion_tokens']) ?? null,
  };
}
