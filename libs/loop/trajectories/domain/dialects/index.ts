/** The table of dialects: the first that speaks a span reads it. A new dialect is a file and a line here. */
import type { Span } from '../span.js';
import type { SpanFacts } from '../span-facts.js';
import type { Dialect } from './dialect.js';
import { genAi } from './gen-ai.js';
import { openInference } from './openinference.js';
import { plain } from './plain.js';

export const DIALECTS: readonly Dialect[] = [openInference, genAi, plain];

export function dialectOf(span: Span): Dialect {
  return DIALECTS.find((dialect) => dialect.speaks(span)) ?? plain;
}

export function readSpan(span: Span): SpanFacts {
  return dialectOf(span).read(span);
}
