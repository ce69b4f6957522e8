import type { SpanFacts } from './span-facts.js';
import type { Span } from './span.js';

/** When a trace counts as complete (design §4). */

/** How long a trace must be quiet, in stream time: lag stops this clock, so nothing completes early. */
export const QUIET_MS = 10_000;
/** How long, on the wall clock, a trace may stay open when the stream itself has stopped or its entry never comes. */
export const DEADLINE_MS = 60_000;

const NS_PER_MS = 1_000_000n;

export interface PendingTrace {
  projectId: string;
  traceId: string;
  /** Receipt of the newest span, ns: also how far an assembly reaches. */
  lastSeq: bigint;
  /** Receipt of the first span that no assembly has seen. */
  firstSeq: bigint;
  entrySeen: boolean;
}

/** `streamNs` is the newest receipt in the stream, `nowNs` the wall clock. */
export function isComplete(trace: PendingTrace, streamNs: bigint, nowNs: bigint): boolean {
  const quiet = streamNs - trace.lastSeq >= BigInt(QUIET_MS) * NS_PER_MS;
  return (trace.entrySeen && quiet) || nowNs - trace.firstSeq >= BigInt(DEADLINE_MS) * NS_PER_MS;
}

/** Whether this span can be the entry its trace waits for. */
export function mayBeEntry(span: Span, kind: SpanFacts['kind']): boolean {
  return span.parentSpanId === null || kind === 'agent';
}
