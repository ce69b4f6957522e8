/**
 * The table of dialects. A span is read by every dialect whose marks it carries, and the facts are merged by
 * precedence.ts. A new dialect is a file, a line here and its place in the precedence.
 */
import type { SpanFacts } from '../span-facts.js';
import type { Span } from '../span.js';
import { aiSdk } from './ai-sdk.js';
import { codex } from './codex.js';
import type { Dialect } from './dialect.js';
import { genAiLegacy } from './gen-ai-legacy.js';
import { genAi } from './gen-ai.js';
import { googleAdk } from './google-adk.js';
import { langfuse } from './langfuse.js';
import { langsmith } from './langsmith.js';
import { livekit } from './livekit.js';
import { MarkIndex } from './mark-index.js';
import { mlflow } from './mlflow.js';
import { openInference } from './openinference.js';
import { plain } from './plain.js';
import { FactMerger } from './precedence.js';
import { pydanticAi } from './pydantic-ai.js';
import { traceloop } from './traceloop.js';

export const DIALECTS: readonly Dialect[] = [
  genAi,
  openInference,
  langfuse,
  aiSdk,
  pydanticAi,
  googleAdk,
  mlflow,
  langsmith,
  livekit,
  codex,
  traceloop,
  genAiLegacy,
];

const MARKS = new MarkIndex(DIALECTS.map((dialect) => dialect.marks));
const CONTENT = new MarkIndex(DIALECTS.map((dialect) => dialect.content));

/** The dialects of one span, as one: its name joins theirs, `ai_sdk+gen_ai`. */
export interface SpanReader {
  name: string;
  identify(span: Span): Pick<SpanFacts, 'kind' | 'responseId'>;
  read(span: Span): SpanFacts;
}

const readers = new Map<number, SpanReader>();

export function dialectOf(span: Span): SpanReader {
  const owners = MARKS.ownersOf(span);
  const known = readers.get(owners);
  if (known !== undefined) return known;
  const reader = readerOf(DIALECTS.filter((_, at) => (owners & (1 << at)) !== 0));
  readers.set(owners, reader);
  return reader;
}

export function readSpan(span: Span): SpanFacts {
  return dialectOf(span).read(span);
}

/** Whether an attribute holds messages, which a trajectory says in its steps. */
export function isContent(attribute: string): boolean {
  return CONTENT.ownersOfName(attribute) !== 0;
}

function readerOf(spoken: readonly Dialect[]): SpanReader {
  const all = [...spoken, plain];
  const merger = new FactMerger(all.map((dialect) => dialect.name));
  return {
    name: spoken.length === 0 ? plain.name : spoken.map((dialect) => dialect.name).join('+'),
    identify: (span) => merger.identity(all.map((dialect) => dialect.identify(span))),
    read: (span) => merger.merge(all.map((dialect) => dialect.read(span))),
  };
}
