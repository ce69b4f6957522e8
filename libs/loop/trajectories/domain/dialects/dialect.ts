import type { Usage } from '../contract.js';
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';

type Told<T> = { [K in keyof T]?: T[K] | undefined };

/** Counts stand beside the other facts, so that each is taken from the dialect that tells it. */
type TokenCounts = { [K in keyof Usage]-?: number };

/** What one dialect says of a span; what it does not say is absent, undefined or an empty list. */
export interface DialectFacts extends Told<Omit<SpanFacts, 'usage' | 'dialects'>>, Told<TokenCounts> {
  /** What the span seems to be where no dialect says so. */
  impliedKind?: SpanFacts['kind'] | undefined;
}

/** The cheap part of what is read: done at receipt, where no message is parsed. */
export type SpanIdentity = Pick<DialectFacts, 'kind' | 'impliedKind' | 'responseId'>;

/** One way of writing an agent's spans. Real spans mix several. */
export interface Dialect {
  name: string;
  /** Names of attributes and events that only this dialect writes; one that ends in a dot stands for all that begin so. */
  marks: readonly string[];
  /** Attributes that hold messages, written as marks are: a trajectory says them in its steps. */
  content: readonly string[];
  identify(span: Span): SpanIdentity;
  read(span: Span): DialectFacts;
}
