/**
 * What a detector sees of a trajectory: calls with their results, what was said to the agent, how it ended. Labels
 * (`label.*`), rewards and the source of the outcome are not in it, so no rule can read them.
 */
import type { ToolDefinition } from '#contracts/chat';
import type { Step, Trajectory } from '#contracts/trajectory';
import { isObject, parseJson, type JsonObject } from './json-values.js';

export interface StepRef {
  id: string;
  index: number;
}

export interface RunResult {
  step: StepRef;
  text: string | null;
  /** The error as the runtime reported it, beside what the text may say. */
  error: string | null;
}

export interface RunCall {
  /** Place among the calls of the run. */
  order: number;
  /** The step that decided the call; where no model step tells it, the step that ran it. */
  step: StepRef;
  id: string;
  name: string;
  argumentsText: string;
  /** Null where the arguments are no JSON object. */
  args: JsonObject | null;
  result: RunResult | null;
}

export interface SaidText {
  step: StepRef;
  origin: 'system' | 'user' | 'observation';
  text: string;
}

export interface RunView {
  trajectoryId: string;
  outcome: 'success' | 'failure' | 'unknown';
  tools: readonly ToolDefinition[];
  steps: readonly Step[];
  calls: readonly RunCall[];
  /** In order of steps. */
  said: readonly SaidText[];
  /** The last words, where the run ends with some and not with a call or a result. */
  final: { step: StepRef; text: string } | null;
  /** The run stops at a call or a result, nothing said after it. */
  endsOpen: boolean;
  /** What the source says about why the run stopped. */
  stopReasons: readonly string[];
}

/** Bounds searches that a hostile run could make quadratic. */
const LOOK_AT_MOST = 1_000;
/** Names, alone or behind a prefix of the application's own (`shop.stop_reason`), that say why a run stopped. */
const STOP_KEY = /(^|\.)(stop_?reason|termination_reason|exit_status|finish_reason)$/i;

export function viewOf(trajectory: Trajectory): RunView {
  const { calls, said } = readSteps(trajectory.steps);
  const last = trajectory.steps.findLast((step) => step.kind !== 'intervention' && step.role !== 'system');
  const endsOpen = last !== undefined && (isResult(last) || (last.toolCalls?.length ?? 0) > 0);
  const answer = trajectory.steps.findLast((step) => step.role === 'assistant');
  const isFinal =
    !endsOpen && answer !== undefined && answer.error === undefined && (answer.toolCalls?.length ?? 0) === 0;
  return {
    trajectoryId: trajectory.id,
    outcome: trajectory.outcome.value,
    tools: trajectory.tools,
    steps: trajectory.steps,
    calls,
    said,
    final: isFinal ? { step: refOf(answer), text: answer.content ?? '' } : null,
    endsOpen,
    stopReasons: stopReasonsOf(trajectory.metadata),
  };
}

function stopReasonsOf(metadata: JsonObject): string[] {
  return Object.entries(metadata).flatMap(([key, value]) => {
    const isLabel = key.startsWith('label.');
    return !isLabel && STOP_KEY.test(key) && typeof value === 'string' ? [value] : [];
  });
}

export function refOf(step: Step): StepRef {
  return { id: step.stepId, index: step.index };
}

function isResult(step: Step): boolean {
  return step.kind === 'observation' || step.kind === 'tool_call';
}

function readSteps(steps: readonly Step[]): { calls: RunCall[]; said: SaidText[] } {
  const ledger = new CallLedger();
  const said: SaidText[] = [];
  for (const step of steps) {
    for (const call of step.toolCalls ?? []) ledger.open(refOf(step), call);
    if (isResult(step)) ledger.answer(step);
    const origin = isResult(step) || step.role === 'tool' ? 'observation' : step.role;
    if (step.kind === 'intervention' || origin === 'assistant' || !step.content) continue;
    said.push({ step: refOf(step), origin, text: step.content });
  }
  return { calls: ledger.calls, said };
}

/** Pairs results with calls. Ids repeat within real runs, so the oldest open call of an id is meant. */
class CallLedger {
  readonly calls: RunCall[] = [];
  private readonly openCalls = new Set<RunCall>();
  private readonly byId = new Map<string, RunCall[]>();

  open(step: StepRef, call: { id: string; name: string; arguments: string }): RunCall {
    const parsed = parseJson(call.arguments.trim() === '' ? '{}' : call.arguments);
    const opened: RunCall = {
      order: this.calls.length,
      step,
      id: call.id,
      name: call.name,
      argumentsText: call.arguments,
      args: isObject(parsed) ? parsed : null,
      result: null,
    };
    this.calls.push(opened);
    this.openCalls.add(opened);
    const sameId = this.byId.get(call.id);
    if (sameId !== undefined) sameId.push(opened);
    else if (call.id !== '') this.byId.set(call.id, [opened]);
    return opened;
  }

  answer(step: Step): void {
    const call = this.callFor(step);
    if (call === undefined) return;
    call.result = { step: refOf(step), text: step.content, error: step.error ?? null };
    this.openCalls.delete(call);
  }

  private callFor(step: Step): RunCall | undefined {
    const { toolCallId = '', toolName } = step;
    const sameId =
      toolCallId === '' ? undefined : this.byId.get(toolCallId)?.find((call) => this.openCalls.has(call));
    if (sameId !== undefined) return sameId;
    const told = this.oldestOpen((call) =>
      toolName === undefined ? toolCallId === '' : call.name === toolName,
    );
    if (told !== undefined || this.byId.has(toolCallId) || step.kind !== 'tool_call') return told;
    return this.open(refOf(step), { id: toolCallId, name: toolName ?? '', arguments: step.arguments ?? '' });
  }

  private oldestOpen(matches: (call: RunCall) => boolean): RunCall | undefined {
    let looked = 0;
    for (const call of this.openCalls) {
      if (matches(call)) return call;
      if (++looked >= LOOK_AT_MOST) return undefined;
    }
    return undefined;
  }
}

/** Whether a later call of the same tool went through: then the fault at this one did no lasting harm. */
export function recoveredLater(run: RunView, call: RunCall, worked: (later: RunCall) => boolean): boolean {
  const next = run.calls.slice(call.order + 1, call.order + 1 + LOOK_AT_MOST);
  return next.some((later) => later.name === call.name && worked(later));
}
