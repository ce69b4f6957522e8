/** What OpenTelemetry itself says of any span: its error, its session, judgements attached to it. */
import { stringOf } from '../json.js';
import { errorOf, evaluationsOf } from '../span-common.js';
import type { Dialect } from './dialect.js';

export const plain: Dialect = {
  name: 'plain',
  marks: [],
  content: [],
  identify: () => ({}),
  read: (span) => ({
    sessionId: stringOf(span.attributes['session.id']),
    error: errorOf(span),
    evaluations: evaluationsOf(span),
  }),
};
