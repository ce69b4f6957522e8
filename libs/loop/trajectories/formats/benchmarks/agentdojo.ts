/**
 * AgentDojo runs (ethz-spylab/agentdojo, exported): one run a row, `{index, messages, metadata, annotations}`. The first line
 * of a file is a header without messages. Arguments are objects; some models' calls have empty ids, joined by order. Under
 * attack `security: true` means that the attack succeeded: a label, as all that tells of the attack.
 */
import { contentHash } from '#kernel/ids';
import { isObject, without } from '../../domain/json.js';
import { stepsOfChat } from '../chat-steps.js';
import { BadRow, type Format } from '../format.js';
import { judgedOutcome, metadataOf, runOf } from '../run-row.js';

type Row = Record<string, unknown>;

const LABELS = ['success', 'security', 'injection_task_id', 'attack_type', 'name', 'hierarchy_path'] as const;

const isHeader = (row: Row): boolean =>
  isObject(row['metadata']) && row['metadata']['benchmark'] === 'agent-dojo' && !('messages' in row);

export const agentDojo: Format = {
  name: 'agentdojo',
  detects: (row) =>
    isObject(row) && (isHeader(row) || (isObject(row['metadata']) && 'suite_name' in row['metadata'])),
  read: (row) => {
    if (!isObject(row)) throw new BadRow('the row is not an object');
    if (isHeader(row)) throw new BadRow('this is the header of the file: it holds no run');
    const { messages, metadata, annotations, ...rest } = row;
    if (!Array.isArray(messages) || messages.length === 0) throw new BadRow('the row has no list `messages`');
    const about = isObject(metadata) ? metadata : {};
    const labels = Object.fromEntries(LABELS.map((name) => [name, about[name] ?? undefined]));
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: externalIdOf(about, row),
        agent: 'agentdojo',
        outcome: judgedOutcome(about['success']),
        steps: stepsOfChat(messages.map(withToolName), { rowId: contentHash(row), agent: 'agentdojo' }),
        metadata: metadataOf(
          { ...rest, ...without(about, ...LABELS) },
          {
            ...labels,
            annotations: Array.isArray(annotations) && annotations.length > 0 ? annotations : undefined,
          },
        ),
      }),
    };
  },
};

function externalIdOf(about: Row, row: Row): string {
  const parts = ['model', 'suite_name', 'user_task_id'].map((name) => about[name]);
  const named = parts.filter((part) => typeof part === 'string' && part !== '');
  return named.length > 0 ? `${named.join('/')}/${contentHash(row, 8)}` : contentHash(row, 16);
}

/** A result carries the call it answers, in place of a name. */
function withToolName(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['tool_call'])) return message;
  return { ...message, name: message['name'] ?? message['tool_call']['function'] };
}
