/**
 * ATIF, the Agent Trajectory Interchange Format of Harbor (laude-institute/harbor, RFC 0001, v1.0 to v1.6). A step of the agent
 * holds its message, its calls and what they gave; arguments are objects there, so they become equal JSON text. Reasoning is
 * the model's own and no step. Ours keep what ATIF has no place for under `extra`.
 */
import { contentHash } from '#kernel/ids';
import type { Step, StepToolCall, Usage } from '../domain/contract.js';
import { countOf, definedOnly, isObject, labelOf, stringOf, textOf } from '../domain/json.js';
import { readParts } from '../domain/message-parts.js';
import type { TurnMessage } from '../domain/span-facts.js';
import { toolDefinitionsOf } from '../domain/tool-definitions.js';
import { sumUsage } from '../domain/usage.js';
import { AtifStepExtra } from './atif-extra.js';
import { stepsOfTurns, type RecordedTurn } from './chat-steps.js';
import type { Fields } from './exchange.js';
import { readExportMember } from './export-member.js';
import { BadRow, type Format, type RowTrajectory } from './format.js';
import { metadataOf, runOf } from './run-row.js';

export const atif: Format = {
  name: 'atif',
  detects: (row) => isObject(row) && /^ATIF-v1\./.test(labelOf(row['schema_version'])),
  read: (row) => {
    if (!isObject(row) || !Array.isArray(row['steps'])) throw new BadRow('the row has no `steps`');
    if (row['steps'].length === 0) throw new BadRow('`steps` is empty');
    return { kind: 'trajectory', trajectory: trajectoryOf(row, row['steps']) };
  },
};

function trajectoryOf(row: Fields, listed: readonly unknown[]): RowTrajectory {
  const described = isObject(row['agent']) ? row['agent'] : {};
  const extra = isObject(row['extra']) ? row['extra'] : {};
  const own = readExportMember(extra);
  const agent = own.agent ?? stringOf(described['name']) ?? 'atif';
  const turns = listed.map((step, index) => turnsOfStep(step, index, agent));
  const steps = stepsOfTurns(
    turns.flatMap(({ said }) => said),
    { rowId: contentHash(row), agent },
  );
  const facts = turns.flatMap(({ said, call }) => said.map((_, at) => (at === 0 ? call : {})));
  steps.forEach((step, at) => {
    if (step.kind === 'model_call')
      Object.assign(step, definedOnly({ model: stringOf(described['model_name']) }), facts[at]);
  });
  const final = isObject(row['final_metrics']) ? row['final_metrics'] : undefined;
  return runOf({
    externalId: stringOf(row['trajectory_id']) ?? stringOf(row['session_id']) ?? contentHash(row, 16),
    agent,
    sessionId: stringOf(row['session_id']) ?? null,
    tools: toolDefinitionsOf(described['tool_definitions'] ?? []),
    steps,
    metadata: metadataOf({
      ...extra,
      agentVersion: stringOf(described['version']),
      notes: stringOf(row['notes']),
    }),
    usage: final === undefined ? summed(steps) : totalsOf(final),
    costUsd: final === undefined ? null : costOf(final['total_cost_usd']),
    ...own,
  });
}

interface StepTurns {
  said: RecordedTurn[];
  /** Of the model call that the step is, if it is one. */
  call: Partial<Step>;
}

function turnsOfStep(step: unknown, index: number, agent: string): StepTurns {
  if (!isObject(step)) throw new BadRow(`step ${index + 1} is not an object`);
  const { source } = step;
  if (source !== 'system' && source !== 'user' && source !== 'agent')
    throw new BadRow(`step ${index + 1}: source is none of system, user, agent`);
  const extra = AtifStepExtra.of(step['extra']);
  const results = resultTurns(step['observation'], extra, index);
  if (extra.resultsOnly === true) return { said: results, call: {} };
  const role: TurnMessage['role'] = source === 'agent' ? 'assistant' : source;
  const toolCalls = source === 'agent' ? callsOf(step['tool_calls'], extra) : [];
  const message: TurnMessage = definedOnly({
    role,
    content: extra.contentIsNull === true ? null : contentOf(step['message']),
    toolCalls: toolCalls.length > 0 ? toolCalls : undefined,
    name: role === 'assistant' && extra.agent !== agent ? extra.agent : undefined,
  });
  const said = [{ message, error: extra.error, sourceIndex: index }, ...results];
  return { said, call: source === 'agent' ? callFacts(step) : {} };
}

function callFacts(step: Fields): Partial<Step> {
  const at = Date.parse(labelOf(step['timestamp']));
  return definedOnly({
    model: stringOf(step['model_name']),
    usage: isObject(step['metrics']) ? countsOf(step['metrics']) : undefined,
    startNs: at > 0 ? (BigInt(at) * 1_000_000n).toString() : undefined,
  });
}

/** Text, or in v1.6 parts of which the text counts. */
function contentOf(message: unknown): string | null {
  return Array.isArray(message) ? readParts(message).content : (textOf(message ?? undefined) ?? null);
}

function callsOf(calls: unknown, extra: AtifStepExtra): StepToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call, at) => ({
    id: labelOf(call['tool_call_id']),
    name: labelOf(call['function_name']),
    arguments: extra.arguments?.[at] ?? textOf(call['arguments'] ?? undefined) ?? '',
  }));
}

function resultTurns(observation: unknown, extra: AtifStepExtra, sourceIndex: number): RecordedTurn[] {
  const results = isObject(observation) ? observation['results'] : undefined;
  if (!Array.isArray(results)) return [];
  return results.filter(isObject).map((result, at) => {
    const more = extra.results?.[at] ?? {};
    const message = definedOnly({
      role: 'tool' as const,
      content: contentOf(result['content']),
      toolCallId: more.toolCallId ?? stringOf(result['source_call_id']),
      name: more.toolName,
    });
    return { message, error: more.error, sourceIndex };
  });
}

/** Cached tokens are a part of the prompt here too. */
function countsOf(metrics: Fields): Usage {
  return definedOnly({
    inputTokens: countOf(metrics['prompt_tokens']) ?? null,
    outputTokens: countOf(metrics['completion_tokens']) ?? null,
    cacheReadTokens: countOf(metrics['cached_tokens']),
    reasoningTokens: isObject(metrics['extra']) ? countOf(metrics['extra']['reasoning_tokens']) : undefined,
  });
}

function totalsOf(final: Fields): Usage {
  return countsOf({
    prompt_tokens: final['total_prompt_tokens'],
    completion_tokens: final['total_completion_tokens'],
    cached_tokens: final['total_cached_tokens'],
  });
}

function summed(steps: readonly Step[]): Usage {
  return sumUsage(steps.flatMap((step) => step.usage ?? []));
}

function costOf(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}
