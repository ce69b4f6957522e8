/** Instrumentation at two levels reports one call twice: which spans of a run are one call, so that each counts once. */
import { groupBy, without } from './json.js';
import type { SpanFacts } from './span-facts.js';
import type { SpanNode } from './span-tree.js';

/** The model calls and tool calls of a run in order, each once, filled from all spans that report it. */
export function uniqueCalls(nodes: readonly SpanNode[]): SpanNode[] {
  const byResponse = new Map<string, SpanNode>();
  const calls: SpanNode[] = [];
  for (const node of withoutWrappers(nodes)) {
    const { kind, responseId } = node.facts;
    if (kind !== 'model_call' && kind !== 'tool_call') continue;
    const first = kind === 'model_call' && responseId !== undefined ? byResponse.get(responseId) : undefined;
    if (first !== undefined) {
      first.facts = filledFrom(first.facts, node.facts);
      continue;
    }
    const copy = { ...node };
    calls.push(copy);
    if (kind === 'model_call' && responseId !== undefined) byResponse.set(responseId, copy);
  }
  return calls;
}

/**
 * A model call inside a model call is the same call, seen nearer to the wire: the inner span stays, because it ends and
 * arrives first, and takes from the outer what it does not tell. Of several inner calls the last takes it.
 */
function withoutWrappers(nodes: readonly SpanNode[]): SpanNode[] {
  const enclosing = enclosingCalls(nodes);
  const inner = groupBy(
    nodes.filter((node) => node.facts.kind === 'model_call' && mayBeSame(enclosing.get(node), node)),
    (node) => enclosing.get(node),
  );
  const filled = new Map<SpanNode, SpanFacts>();
  for (const outer of nodes) {
    const calls = inner.get(outer);
    const last = calls?.at(-1);
    if (calls === undefined || last === undefined) continue;
    const told = filled.get(outer) ?? outer.facts;
    const counted = calls.some((call) => call.facts.usage !== undefined);
    filled.set(last, filledFrom(last.facts, counted ? without(told, 'usage') : told));
  }
  return nodes
    .filter((node) => !inner.has(node))
    .map((node) => ({ ...node, facts: filled.get(node) ?? node.facts }));
}

/** Two response ids are two calls. */
function mayBeSame(outer: SpanNode | undefined, inner: SpanNode): boolean {
  if (outer === undefined) return false;
  const { responseId } = inner.facts;
  return responseId === undefined || (outer.facts.responseId ?? responseId) === responseId;
}

/** The nearest model call above each node; an agent or a tool between them makes calls of its own. */
function enclosingCalls(nodes: readonly SpanNode[]): ReadonlyMap<SpanNode, SpanNode | undefined> {
  const byId = new Map(nodes.map((node) => [node.span.spanId, node]));
  const enclosing = new Map<SpanNode, SpanNode | undefined>();
  for (const node of nodes) {
    const parent = node.span.parentSpanId === null ? undefined : byId.get(node.span.parentSpanId);
    const kind = parent?.facts.kind;
    if (parent === undefined || kind === 'agent' || kind === 'tool_call') continue;
    enclosing.set(node, kind === 'model_call' ? parent : enclosing.get(parent));
  }
  return enclosing;
}

function filledFrom(facts: SpanFacts, other: SpanFacts): SpanFacts {
  return {
    ...other,
    ...facts,
    input: facts.input.length > 0 ? facts.input : other.input,
    output: facts.output.length > 0 ? facts.output : other.output,
    tools: facts.tools.length > 0 ? facts.tools : other.tools,
  };
}
