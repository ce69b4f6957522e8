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
  const ordered = [...nodes.values()].sort(byStartThenArrival);
  const tops: SpanNode[] = [];
  for (const node of ordered) {
    const parent = node.span.parentSpanId === null ? undefined : nodes.get(node.span.parentSpanId);
    if (parent === undefined || isBelow(parent, node, nodes)) tops.push(node);
    else parent.children.push(node);
  }
  return tops;
}

/** Whether walking up from `from` meets `node`: only in a ring, which no honest tracer sends. Cut at its first span. */
function isBelow(from: SpanNode, node: SpanNode, nodes: ReadonlyMap<string, SpanNode>): boolean {
  let smallest = node;
  const seen = new Set<SpanNode>();
  for (let at: SpanNode | undefined = from; at !== undefined && !seen.has(at);) {
    if (at === node) return smallest === node;
    seen.add(at);
    if (byStartThenArrival(at, smallest) < 0) smallest = at;
    at = at.span.parentSpanId === null ? undefined : nodes.get(at.span.parentSpanId);
  }
  return false;
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
