/**
 * SWE-agent trajectories (SWE-agent/SWE-agent): `{trajectory, history, info, environment}`, one run a file. `history` holds the
 * messages; a file without it is read from `trajectory` (`{thought, action, observation}`). Costs of 0 in replays and
 * demonstrations mean that none was counted. Files of mini-swe-agent are taken under this name too.
 */
import { contentHash } from '#kernel/ids';
import { countOf, isObject, stringOf, without } from '../domain/json.js';
import { stepsOfChat, withRepliesObserved } from './chat-steps.js';
import { BadRow, type Format } from './format.js';
import { miniSweAgent } from './mini-swe-agent.js';
import { metadataOf, runOf } from './run-row.js';

type Row = Record<string, unknown>;

const AGENT = 'swe-agent';
/** Older files do not say the type. */
const OBSERVATION = 'observation';

export const sweAgent: Format = {
  name: 'swe-agent',
  detects: (row) => isObject(row) && (hasTurns(row) || isHistory(row['history'])),
  read: (row) => {
    if (miniSweAgent.detects(row)) return miniSweAgent.read(row);
    if (!isObject(row)) throw new BadRow('the row is not an object');
    const messages = isHistory(row['history'])
      ? row['history']
      : hasTurns(row)
        ? turnsOf(row['trajectory'])
        : [];
    if (messages.length === 0) throw new BadRow('the row has neither `history` nor `trajectory`');
    const info = isObject(row['info']) ? row['info'] : {};
    const stats = isObject(info['model_stats']) ? info['model_stats'] : {};
    const counted = (countOf(stats['api_calls']) ?? 0) > 0;
    const rowId = contentHash(row);
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: rowId.slice(0, 16),
        agent: AGENT,
        steps: withRepliesObserved(
          stepsOfChat(messages.map(asChat), { rowId, agent: AGENT }),
          ({ index }) => (messages[index]?.['message_type'] ?? OBSERVATION) === OBSERVATION,
        ),
        metadata: metadataOf({
          ...without(row, 'trajectory', 'history', 'info'),
          ...without(info, 'submission'),
          submission: info['submission'],
        }),
        usage: {
          inputTokens: counted ? (countOf(stats['tokens_sent']) ?? null) : null,
          outputTokens: counted ? (countOf(stats['tokens_received']) ?? null) : null,
        },
        costUsd: counted && typeof stats['instance_cost'] === 'number' ? stats['instance_cost'] : null,
      }),
    };
  },
};

/** Other formats have a `history` too; here its messages say which agent they are of, or of which kind. */
function isHistory(value: unknown): value is Row[] {
  return Array.isArray(value) && isObject(value[0]) && ('agent' in value[0] || 'message_type' in value[0]);
}

function hasTurns(row: Row): row is Row & { trajectory: Row[] } {
  const turns = row['trajectory'];
  return Array.isArray(turns) && isObject(turns[0]) && 'action' in turns[0] && 'observation' in turns[0];
}

function turnsOf(turns: readonly Row[]): Row[] {
  return turns.filter(isObject).flatMap((turn) => [
    { role: 'assistant', content: turn['response'] ?? turn['thought'], action: turn['action'] },
    { role: 'user', content: turn['observation'], message_type: OBSERVATION },
  ]);
}

/** Results name the calls they answer in a list. */
function asChat(message: unknown): unknown {
  if (!isObject(message)) return message;
  const ids = message['tool_call_ids'];
  if (!Array.isArray(ids) || 'tool_call_id' in message) return message;
  return { ...message, tool_call_id: stringOf(ids[0]) };
}
