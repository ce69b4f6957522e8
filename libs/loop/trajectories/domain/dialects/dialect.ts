import type { Span } from '../span.js';
import type { SpanFacts } from '../span-facts.js';

export type SpanIdentity = Pick<SpanFacts, 'kind' | 'responseId'>;

/** One way of writing an agent's spans. */
export interface Dialect {
  name: string;
  /** Whether the span is written this way, from its attributes alone. */
  speaks(span: Span): boolean;
  /** The cheap part of `read`: done at receipt, where no message is parsed. */
  identify(span: Span): SpanIdentity;
  read(span: Span): SpanFacts;
}
