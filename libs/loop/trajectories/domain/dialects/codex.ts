/** Codex CLI (openai/codex, codex-rs): counts of a turn on the span of the turn. */
import { countOf, stringOf, type JsonObject } from '../json.js';
import type { Dialect } from './dialect.js';

export const codex: Dialect = {
  name: 'codex',
  marks: ['codex.turn.'],
  content: [],
  identify: () => ({ kind: 'agent' }),
  read: ({ attributes: a }) => ({
    kind: 'agent',
    agentName: 'codex',
    sessionId: stringOf(a['thread.id']),
    model: stringOf(a['model']),
    inputTokens: tokens(a, 'input_tokens'),
    outputTokens: tokens(a, 'output_tokens'),
    cacheReadTokens: tokens(a, 'cached_input_tokens'),
    reasoningTokens: tokens(a, 'reasoning_output_tokens'),
  }),
};

function tokens(a: JsonObject, name: string): number | undefined {
  return countOf(a[`codex.turn.token_usage.${name}`]);
}
