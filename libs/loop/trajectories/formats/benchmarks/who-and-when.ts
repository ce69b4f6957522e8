/**
 * Who&When (mingyin1/Agents_Failure_Attribution): failed runs of several agents, `{question, question_ID, history, mistake_*}`.
 * Algorithm-generated rows name the speaker in `name`, hand-crafted ones in `role`; `mistake_step` is a 0-based string.
 */
import { contentHash } from '#kernel/ids';
import type { Step } from '../../domain/contract.js';
import { definedOnly, isObject, labelOf, textOf, without } from '../../domain/json.js';
import { BadRow, type Format } from '../format.js';
import { judgedOutcome, metadataOf, runOf } from '../run-row.js';

type Row = Record<string, unknown>;

/** What runs code and answers, as a user does in the source. */
const TERMINALS = new Set(['Computer_terminal', 'ComputerTerminal']);
const LABELS = [
  'ground_truth',
  'is_correct',
  'is_corrected',
  'mistake_agent',
  'mistake_step',
  'mistake_reason',
] as const;

export const whoAndWhen: Format = {
  name: 'who-and-when',
  detects: (row) =>
    isObject(row) && Array.isArray(row['history']) && ('mistake_agent' in row || 'question_ID' in row),
  read: (row) => {
    if (!isObject(row)) throw new BadRow('the row is not an object');
    const { history } = row;
    if (!Array.isArray(history) || history.length === 0) throw new BadRow('the row has no list `history`');
    const rowId = contentHash(row);
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: labelOf(row['question_ID'] ?? row['question_id'] ?? rowId.slice(0, 16)),
        agent: 'who-and-when',
        outcome: judgedOutcome(row['is_correct'] ?? row['is_corrected']),
        steps: history.map((message, index) => stepOf(message, index, rowId)),
        metadata: metadataOf(
          without(row, 'history', ...LABELS),
          Object.fromEntries(LABELS.map((name) => [name, row[name]])),
        ),
      }),
    };
  },
};

function stepOf(message: unknown, index: number, rowId: string): Step {
  if (!isObject(message)) throw new BadRow(`message ${index} of \`history\` is not an object`);
  const speaker = speakerOf(message);
  return definedOnly({
    stepId: contentHash(['row', rowId, index], 24),
    index,
    sourceIndex: index,
    ...partOf(speaker),
    agent: speaker,
    content: textOf(message['content']) ?? null,
  });
}

function partOf(speaker: string): Pick<Step, 'kind' | 'role' | 'toolName'> {
  if (TERMINALS.has(speaker)) return { kind: 'observation', role: 'user', toolName: speaker };
  if (speaker === 'human') return { kind: 'message', role: 'user' };
  return { kind: 'model_call', role: 'assistant' };
}

/** `Orchestrator (-> WebSurfer)` and `Orchestrator (thought)` are one agent. */
function speakerOf(message: Row): string {
  if (typeof message['name'] === 'string' && message['name'] !== '') return message['name'];
  return labelOf(message['role'] ?? 'unknown').replace(/ \(.*\)$/, '');
}
