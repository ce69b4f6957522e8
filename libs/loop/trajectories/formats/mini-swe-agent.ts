/**
 * mini-swe-agent trajectories (SWE-agent/mini-swe-agent): a bare list of chat messages, or `{messages, info,
 * trajectory_format}` in later versions. Commands stand in the text; what the shell answers is a user's message.
 */
import { contentHash } from '#kernel/ids';
import { isObject, without } from '../domain/json.js';
import { stepsOfChat } from './chat-steps.js';
import { BadRow, type Format } from './format.js';
import { metadataOf, runOf } from './run-row.js';

const AGENT = 'mini-swe-agent';

export const miniSweAgent: Format = {
  name: AGENT,
  detects: (row) =>
    isMessages(row) ||
    (isObject(row) &&
      String(row['trajectory_format'] ?? '').startsWith(AGENT) &&
      isMessages(row['messages'])),
  read: (row) => {
    const messages = isMessages(row) ? row : isObject(row) ? row['messages'] : undefined;
    if (!isMessages(messages)) throw new BadRow('the row is no list of messages');
    const rest = isObject(row) ? without(row, 'messages', 'info') : {};
    const info = isObject(row) && isObject(row['info']) ? row['info'] : {};
    return {
      kind: 'trajectory',
      trajectory: runOf({
        externalId: contentHash(row, 16),
        agent: AGENT,
        steps: stepsOfChat(messages, { rowId: contentHash(row), agent: AGENT }),
        metadata: metadataOf({ ...rest, ...info }),
      }),
    };
  },
};

function isMessages(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && 'role' in item);
}
