/**
 * ASSEBench and R-Judge (agent safety): `{id, profile, contents: [[turn…]…], label, …}`, a list of sessions. A turn is a user's,
 * an agent's `{thought, action}` or the environment's; the action is pseudo-code, `Tool{'a': 1}` or `tool()`.
 */
import { contentHash } from '#kernel/ids';
import type { Step } from '../../domain/contract.js';
import { definedOnly, isObject, labelOf, stringOf, textOf, without } from '../../domain/json.js';
import { BadRow, type Format } from '../format.js';
import { metadataOf, runOf } from '../run-row.js';

type Row = Record<string, unknown>;

const AGENT = 'assebench';
const LABELS = ['label', 'risk_type', 'failure_mode', 'ambiguous', 'risk_description'] as const;
/** A name glued to what is in braces or parentheses; the arguments stay as written. */
const ACTION = /^\s*([A-Za-z_][\w.:-]*)\s*(\{[\s\S]*\}|\([\s\S]*\))\s*$/;

export const asseBench: Format = {
  name: 'assebench',
  detects: (row) => isObject(row) && Array.isArray(row['contents']) && Array.isArray(row['contents'][0]),
  read: (row) => {
    if (!isObject(row) || !Array.isArray(row['contents'])) throw new BadRow('the row has no list `contents`');
    const turns: unknown[] = row['contents'].flatMap((session: unknown) =>
      Array.isArray(session) ? (session as unknown[]) : [session],
    );
    if (turns.length === 0) throw new BadRow('`contents` holds no turn');
    const rowId = contentHash(row);
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: labelOf(row['id'] ?? rowId.slice(0, 16)),
        agent: AGENT,
        steps: stepsOf(row, turns, rowId),
        metadata: metadataOf(
          without(row, 'contents', 'profile', ...LABELS),
          Object.fromEntries(LABELS.map((name) => [name, row[name]])),
        ),
      }),
    };
  },
};

/** The profile is what the agent was told to be; it stands before the turns and is none of them. */
function stepsOf(row: Row, turns: readonly unknown[], rowId: string): Step[] {
  const profile = stringOf(row['profile']);
  const first: Omit<Step, 'index'>[] =
    profile === undefined
      ? []
      : [
          {
            stepId: contentHash(['row', rowId, 'profile'], 24),
            kind: 'message',
            role: 'system',
            content: profile,
          },
        ];
  let called: string | undefined;
  const rest = turns.map((turn, sourceIndex) => {
    if (!isObject(turn)) throw new BadRow(`turn ${sourceIndex} is not an object`);
    const step = stepOf(turn, called);
    called = step.toolCalls?.at(-1)?.name ?? (step.kind === 'observation' ? undefined : called);
    return { stepId: contentHash(['row', rowId, sourceIndex], 24), sourceIndex, agent: AGENT, ...step };
  });
  return [...first, ...rest].map((step, index) => ({ ...step, index }));
}

function stepOf(turn: Row, called: string | undefined): Omit<Step, 'stepId' | 'index'> {
  const content = textOf(turn['content']) ?? null;
  if (turn['role'] === 'environment')
    return definedOnly({ kind: 'observation' as const, role: 'tool' as const, content, toolName: called });
  if (turn['role'] !== 'agent') return { kind: 'message', role: 'user', content };
  const thought = stringOf(turn['thought']) ?? content;
  const action = stringOf(turn['action']);
  const call = action === undefined ? null : ACTION.exec(action);
  if (call === null) {
    const said = [thought, action].filter((text) => text !== null && text !== undefined);
    return { kind: 'model_call', role: 'assistant', content: said.length > 0 ? said.join('\n') : null };
  }
  const [, name = '', written = ''] = call;
  const toolCalls = [{ id: '', name, arguments: written === '()' ? '{}' : written }];
  return { kind: 'model_call', role: 'assistant', content: thought, toolCalls };
}
