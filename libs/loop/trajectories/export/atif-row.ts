/**
 * A trajectory in ATIF v1.5 (Harbor, RFC 0001): one step a message, the results of calls inside the agent's step. What ATIF
 * has no place for stays under `extra.ratchet`: the calls' own text, ids that name no call of the step, errors, speakers.
 */
import type { Step, Trajectory } from '#contracts/trajectory';
import { definedOnly, isObject, unwrapJson } from '../domain/json.js';
import type { AtifStepExtra } from '../formats/atif-extra.js';
import { EXPORT_MEMBER, exportMemberOf } from '../formats/export-member.js';

type Row = Record<string, unknown>;

/** It cannot hold step ids, response ids, finish reasons and end times. */
export function atifRowOf(trajectory: Trajectory): Row {
  const { agent, tools, usage, costUsd } = trajectory;
  const groups = groupsOf(trajectory.steps);
  const models = new Set(
    trajectory.steps.filter((step) => step.kind === 'model_call').map((step) => step.model),
  );
  const [model] = models.size === 1 ? models : [];
  return {
    schema_version: 'ATIF-v1.5',
    session_id: trajectory.sessionId ?? trajectory.id,
    agent: definedOnly({
      name: agent,
      version: 'unknown',
      model_name: model,
      tool_definitions: tools.length > 0 ? tools : undefined,
    }),
    steps: groups.map((group, at) => ({ step_id: at + 1, ...stepOf(group, agent) })),
    final_metrics: definedOnly({
      total_prompt_tokens: usage.inputTokens ?? undefined,
      total_completion_tokens: usage.outputTokens ?? undefined,
      total_cached_tokens: usage.cacheReadTokens ?? undefined,
      total_cost_usd: costUsd ?? undefined,
      total_steps: groups.length,
    }),
    extra: { [EXPORT_MEMBER]: exportMemberOf(trajectory) },
  };
}

interface Group {
  /** undefined where results come without a step of the agent before them. */
  head: Step | undefined;
  results: Step[];
}

function groupsOf(steps: readonly Step[]): Group[] {
  const groups: Group[] = [];
  for (const step of steps) {
    const open = groups.at(-1);
    if (step.role !== 'tool') groups.push({ head: step, results: [] });
    else if (open !== undefined && (open.head === undefined || open.head.role === 'assistant'))
      open.results.push(step);
    else groups.push({ head: undefined, results: [step] });
  }
  return groups;
}

const SOURCES = { assistant: 'agent', system: 'system', user: 'user', tool: 'system' } as const;

function stepOf({ head, results }: Group, agent: string): Row {
  const ids = new Set((head?.toolCalls ?? []).map(({ id }) => id));
  const calls = head?.role === 'assistant' ? (head.toolCalls ?? []) : [];
  const parsed = calls.map((call) => argumentsOf(call.arguments));
  const extra: AtifStepExtra = definedOnly({
    contentIsNull: head !== undefined && head.content === null ? true : undefined,
    resultsOnly: head === undefined ? true : undefined,
    agent: head?.role === 'assistant' && head.agent !== agent ? head.agent : undefined,
    error: head?.error,
    arguments: parsed.some(({ own }) => own !== null) ? parsed.map(({ own }) => own) : undefined,
    results: results.some((step) => hasMore(step, ids))
      ? results.map((step) => moreOf(step, ids))
      : undefined,
  });
  return definedOnly({
    timestamp: head?.kind === 'model_call' ? isoOf(head.startNs) : undefined,
    source: SOURCES[head?.role ?? 'system'],
    model_name: head?.kind === 'model_call' ? head.model : undefined,
    message: head?.content ?? '',
    tool_calls:
      calls.length > 0
        ? calls.map((call, at) => ({
            tool_call_id: call.id,
            function_name: call.name,
            arguments: parsed[at]?.value ?? {},
          }))
        : undefined,
    observation: results.length > 0 ? { results: results.map((step) => resultOf(step, ids)) } : undefined,
    metrics: head?.kind === 'model_call' ? metricsOf(head.usage) : undefined,
    extra: Object.keys(extra).length > 0 ? { [EXPORT_MEMBER]: extra } : undefined,
  });
}

/** ATIF wants an object; the call's own text is kept beside it where writing the object does not give it again. */
function argumentsOf(text: string): { value: Row; own: string | null } {
  const value = unwrapJson(text);
  if (!isObject(value)) return { value: {}, own: text };
  return { value, own: JSON.stringify(value) === text ? null : text };
}

function resultOf(step: Step, ids: ReadonlySet<string>): Row {
  return definedOnly({
    source_call_id: joins(step, ids) ? step.toolCallId : undefined,
    content: step.content ?? undefined,
  });
}

/** ATIF joins a result to a call of its own step; an empty id joins nothing. */
function joins({ toolCallId }: Step, ids: ReadonlySet<string>): boolean {
  return toolCallId !== undefined && toolCallId !== '' && ids.has(toolCallId);
}

function hasMore(step: Step, ids: ReadonlySet<string>): boolean {
  return Object.keys(moreOf(step, ids)).length > 0;
}

function moreOf(step: Step, ids: ReadonlySet<string>): NonNullable<AtifStepExtra['results']>[number] {
  const joined = joins(step, ids);
  return definedOnly({
    toolCallId: joined ? undefined : step.toolCallId,
    toolName: joined ? undefined : step.toolName,
    error: step.error,
  });
}

function metricsOf(usage: Step['usage']): Row | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage;
  return definedOnly({
    prompt_tokens: inputTokens ?? undefined,
    completion_tokens: outputTokens ?? undefined,
    cached_tokens: cacheReadTokens ?? undefined,
    extra: typeof reasoningTokens === 'number' ? { reasoning_tokens: reasoningTokens } : undefined,
  });
}

function isoOf(ns: string | undefined): string | undefined {
  return ns === undefined ? undefined : new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
}
