/** A span that speaks of no model or tool: it still carries parentage, names, errors and judgements. */
import { definedOnly, stringOf } from '../json.js';
import { errorOf, evaluationsOf } from '../span-common.js';
import type { Dialect } from './dialect.js';

export const plain: Dialect = {
  name: 'plain',
  speaks: () => true,
  identify: () => ({ kind: 'other' }),
  read: (span) =>
    definedOnly({
      kind: 'other' as const,
      sessionId: stringOf(span.attributes['session.id']),
      input: [],
      output: [],
      tools: [],
      error: errorOf(span),
      evaluations: evaluationsOf(span),
    }),
};
