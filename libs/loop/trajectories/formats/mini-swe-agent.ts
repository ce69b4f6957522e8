/**
 * mini-swe-agent trajectories (SWE-agent/mini-swe-agent): a bare list of chat messages, or `{messages, info,
 * trajectory_format}` in later versions. Commands stand in the text, in a code block; what the shell answers is a user's message.
 */
import { contentHash } from '#kernel/ids';
import { isObject, labelOf, without } from '../domain/json.js';
import { isChat, stepsOfChat, withRepliesObserved } from './chat-steps.js';
import { BadRow, type Format } from './format.js';
import { metadataOf, runOf } from './run-row.js';

const AGENT = 'mini-swe-agent';
/** How an answer of the shell begins, or a command block: other chats are bare lists too. */
const SIGNS = /<returncode>|```(?:mswea_bash_command|bash)/;

export const miniSweAgent: Format = {
  name: AGENT,
  detects: (row) =>
    isObject(row)
      ? labelOf(row['trajectory_format']).startsWith(AGENT) && isChat(row['messages'])
      : isChat(row) && row.some(({ content }) => typeof content === 'string' && SIGNS.test(content)),
  read: (row) => {
    const messages = isObject(row) ? row['messages'] : row;
    if (!isChat(messages)) throw new BadRow('the row is no list of messages');
    const rest = isObject(row) ? without(row, 'messages', 'info') : {};
    const info = isObject(row) && isObject(row['info']) ? row['info'] : {};
    const steps = stepsOfChat(messages, { rowId: contentHash(row), agent: AGENT });
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: contentHash(row, 16),
        agent: AGENT,
        steps: withRepliesObserved(steps, () => true),
        metadata: metadataOf({ ...rest, ...info }),
      }),
    };
  },
};
