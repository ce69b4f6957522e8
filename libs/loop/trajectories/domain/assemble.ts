/** The spans of one trace, with the gateway's captures of its model calls → the trajectories in it. Pure and repeatable. */
import { contentHash } from '#kernel/ids';
import type { ToolDefinition } from '#contracts/chat';
import type { ModelCallCapture } from '#contracts/gateway';
import { isContent } from './dialects/index.js';
import type { JsonObject } from './json.js';
import { explicitOutcome } from './outcome.js';
import { compareNs, runsOf, type Run, type SpanNode } from './span-tree.js';
import type { StoredSpan } from './span.js';
import { endOf, isClamped, stepsOf } from './steps.js';
import { sumCost, sumUsage } from './usage.js';
import type { Trajectory, Usage } from './contract.js';

/** A trajectory before it is stored: the store gives the revision. */
export type AssembledTrajectory = Omit<Trajectory, 'revision'>;

export interface TraceInput {
  projectId: string;
  traceId: string;
  /** One row a span id: the collapsed view's. */
  spans: readonly StoredSpan[];
  /** By response id. */
  captures: ReadonlyMap<string, ModelCallCapture>;
}

export function assembleTrace(input: TraceInput): AssembledTrajectory[] {
  return runsOf(input.spans).map((run) => assembleRun(run, input));
}

/** Response ids that the gateway may know, of all model calls among these spans. */
export function responseIdsOf(spans: readonly StoredSpan[]): string[] {
  const ids = runsOf(spans).flatMap((run) => run.nodes.flatMap(({ facts }) => facts.responseId ?? []));
  return [...new Set(ids)];
}

function assembleRun(run: Run, input: TraceInput): AssembledTrajectory {
  const { entry, nodes } = run;
  const agent = agentNameOf(entry);
  const { steps, captures } = stepsOf(run, agentLookup(run, agent), input.captures);
  const judged = explicitOutcome([entry, ...nodes].flatMap(({ facts }) => facts.evaluations));
  const policies = distinct(captures.map((capture) => capture?.policy));
  const sessionId =
    entry.facts.sessionId ??
    first(nodes, (node) => node.facts.sessionId) ??
    first(captures, (capture) => capture?.sessionId);
  return {
    id: contentHash(['otlp', input.projectId, input.traceId, entry.span.spanId]),
    projectId: input.projectId,
    externalId: `${input.traceId}/${entry.span.spanId}`,
    source: 'otlp',
    agent,
    agentRef: only(distinct(captures.map((capture) => capture?.agentRef))),
    policy: only(policies),
    sessionId: sessionId ?? null,
    traceId: input.traceId,
    outcome: judged.outcome,
    reward: judged.reward,
    tools: toolsOf(nodes),
    steps,
    metadata: metadataOf(run, policies),
    startedAtNs: entry.span.startNs,
    endedAtNs: nodes
      .map(endOf)
      .reduce((latest, ns) => (compareNs(ns, latest) > 0 ? ns : latest), endOf(entry)),
    usage: usageOf(
      entry,
      steps.flatMap((step) => step.usage ?? []),
    ),
    costUsd: sumCost(captures),
  };
}

/** Only the entry names the trajectory. */
function agentNameOf(entry: SpanNode): string {
  const service = entry.span.resource['service.name'];
  const named =
    entry.facts.agentName ?? (typeof service === 'string' && service !== '' ? service : entry.span.name);
  return named === '' ? 'unnamed' : named;
}

function agentLookup(run: Run, agent: string): (node: SpanNode) => string {
  const byId = new Map<string, string>();
  for (const { span, facts } of run.nodes) {
    const above = span.parentSpanId === null ? undefined : byId.get(span.parentSpanId);
    byId.set(span.spanId, facts.kind === 'agent' ? (facts.agentName ?? agent) : (above ?? agent));
  }
  return (node) => byId.get(node.span.spanId) ?? agent;
}

/** An agent span often repeats the totals of its calls: it counts only where no call was counted. */
function usageOf(entry: SpanNode, parts: Usage[]): Usage {
  return sumUsage(parts.length > 0 || entry.facts.usage === undefined ? parts : [entry.facts.usage]);
}

function toolsOf(nodes: readonly SpanNode[]): ToolDefinition[] {
  const byName = new Map(nodes.flatMap(({ facts }) => facts.tools).map((tool) => [tool.function.name, tool]));
  return [...byName.values()];
}

/** The entry's own attributes under their own names: how the application finds its run again. Messages are steps already. */
function metadataOf(run: Run, policies: string[]): JsonObject {
  const own = Object.entries(run.entry.span.attributes).filter(([key]) => !isContent(key));
  const clamped = run.nodes.filter(isClamped).length;
  return Object.fromEntries([
    ...own,
    ['resource', run.entry.span.resource],
    ['dialects', dialectsOf(run)],
    ...(policies.length > 1 ? [['policies', policies] as const] : []),
    ...(clamped > 0 ? [['clampedSpans', clamped] as const] : []),
  ]);
}

/** Fact → the dialects that told it in this run. What every span says of itself needs no dialect. */
function dialectsOf(run: Run): JsonObject {
  const byFact = new Map<string, Set<string>>();
  for (const { facts } of run.nodes) {
    for (const [fact, dialect] of Object.entries(facts.dialects))
      if (dialect !== 'plain') byFact.set(fact, (byFact.get(fact) ?? new Set()).add(dialect));
  }
  return Object.fromEntries([...byFact].map(([fact, names]) => [fact, [...names].sort()]));
}

function distinct(values: readonly (string | null | undefined)[]): string[] {
  return [...new Set(values.filter((value): value is string => typeof value === 'string'))];
}

/** A run that two policies served tells nothing of either. */
function only(values: readonly string[]): string | null {
  return values.length === 1 ? (values[0] ?? null) : null;
}

function first<T>(items: readonly T[], read: (item: T) => string | null | undefined): string | undefined {
  for (const item of items) {
    const value = read(item);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
