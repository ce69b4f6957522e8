/** The spans of one trace as trees, and which spans are the entries of trajectories. */
import { readSpan } from './dialects/index.js';
import type { SpanFacts } from './span-facts.js';
import type { StoredSpan } from './span.js';

export interface SpanNode {
  span: StoredSpan;
  facts: SpanFacts;
  children: SpanNode[];
}

/** What one trajectory is made of: its entry and the nodes below it in order of the run. */
export interface Run {
  entry: SpanNode;
  /** Entry first, then depth first; a child never precedes its parent. */
  nodes: SpanNode[];
}

/**
 * Entries: every agent span without an agent above it. What lies outside all agents is a run of its topmost span,
 * unless agents hang below that span and the rest has neither a model call nor a tool call.
 */
export function runsOf(spans: readonly StoredSpan[]): Run[] {
  return treesOf(spans).flatMap((top) => runsBelow(top));
}

/** Topmost spans in order. A span whose parent never came is topmost; so is the first of a ring of parents. */
export function treesOf(spans: readonly StoredSpan[]): SpanNode[] {
  const nodes = new Map<string, SpanNode>(
    spans.map((span) => [span.spanId, { span, facts: readSpan(span), children: [] }]),
  );
  const parentOf = ({ span }: SpanNode): SpanNode | undefined =>
    span.parentSpanId === null ? undefined : nodes.get(span.parentSpanId);
  const ordered = [...nodes.values()].sort(byStartThenArrival);
  const cut = firstsOfRings(ordered, parentOf);
  const tops: SpanNode[] = [];
  for (const node of ordered) {
    const parent = cut.has(node) ? undefined : parentOf(node);
    if (parent === undefined) tops.push(node);
    else parent.children.push(node);
  }
  return tops;
}

/** The first span of every ring of parents, which no honest tracer sends. Every span is walked over once. */
function firstsOfRings(
  nodes: readonly SpanNode[],
  parentOf: (node: SpanNode) => SpanNode | undefined,
): Set<SpanNode> {
  const walkedFrom = new Map<SpanNode, SpanNode>();
  const firsts = new Set<SpanNode>();
  for (const start of nodes) {
    let at: SpanNode | undefined = start;
    for (; at !== undefined && !walkedFrom.has(at); at = parentOf(at)) walkedFrom.set(at, start);
    if (at === undefined || walkedFrom.get(at) !== start) continue;
    let first = at;
    for (let next = parentOf(at); next !== undefined && next !== at; next = parentOf(next))
      if (byStartThenArrival(next, first) < 0) first = next;
    firsts.add(first);
  }
  return firsts;
}

function byStartThenArrival(a: SpanNode, b: SpanNode): number {
  return (
    compareNs(a.span.startNs, b.span.startNs) ||
    compareNs(a.span.receivedSeq, b.span.receivedSeq) ||
    (a.span.spanId < b.span.spanId ? -1 : 1)
  );
}

export function compareNs(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

function runsBelow(top: SpanNode): Run[] {
  const agents = outermostAgents(top);
  if (agents.length === 1 && agents[0] === top) return [{ entry: top, nodes: preOrder(top) }];
  const rest = preOrder(top, new Set(agents));
  const restMatters =
    agents.length === 0 ||
    rest.some((node) => node.facts.kind === 'model_call' || node.facts.kind === 'tool_call');
  const runs = agents.map((entry) => ({ entry, nodes: preOrder(entry) }));
  return restMatters ? [{ entry: top, nodes: rest }, ...runs] : runs;
}

function outermostAgents(top: SpanNode): SpanNode[] {
  const found: SpanNode[] = [];
  walk(top, (node) => {
    if (node.facts.kind !== 'agent') return true;
    found.push(node);
    return false;
  });
  return found;
}

function preOrder(top: SpanNode, without: ReadonlySet<SpanNode> = new Set()): SpanNode[] {
  const nodes: SpanNode[] = [];
  walk(top, (node) => {
    if (without.has(node)) return false;
    nodes.push(node);
    return true;
  });
  return nodes;
}

/** Depth first without recursion: a trace may be a chain of thousands. `visit` says whether to go below. */
function walk(top: SpanNode, visit: (node: SpanNode) => boolean): void {
  const stack = [top];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!visit(node)) continue;
    for (let at = node.children.length - 1; at >= 0; at--) stack.push(node.children[at]!);
  }
}
