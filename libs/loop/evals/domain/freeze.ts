/** Freezes an eval case out of a failed trajectory: the messages before the fault, and a checker for what comes next. */
import type { ChatMessage, ToolDefinition } from '#contracts/chat';
import type { ExpectedCall } from '#contracts/environment';
import type { FailureCategory } from '#contracts/failure';
import type { Step, Trajectory } from '#contracts/trajectory';
import { parseJsonObject } from '#kernel/json-object';
import type { NextActionChecker } from './checker.js';

export interface Fault {
  category: FailureCategory;
  detail: string | null;
  stepIndex: number;
}

export interface FrozenCase {
  trajectoryId: string;
  lineageKey: string;
  family: string;
  slice: string;
  prefix: ChatMessage[];
  tools: ToolDefinition[];
  checker: NextActionChecker;
  /** `draft`: the checker is weak or guessed; a person must accept it before it counts. */
  status: 'ready' | 'draft';
  /** Why it is a draft, or where the checker came from. */
  note: string;
}

/** Why nothing can be frozen. */
export interface NotFrozen {
  trajectoryId: string;
  reason: string;
}

export function freezeCase(trajectory: Trajectory, fault: Fault): FrozenCase | NotFrozen {
  const at = faultTurn(trajectory.steps, fault.stepIndex);
  if (at === null) return { trajectoryId: trajectory.id, reason: 'no model turn at or before the fault' };
  const prefix = messagesBefore(trajectory.steps, at);
  if (!prefix.some((message) => message.role === 'user')) {
    return { trajectoryId: trajectory.id, reason: 'nothing was asked before the fault' };
  }
  const slice = fault.detail === null ? fault.category : `${fault.category}/${fault.detail}`;
  return {
    trajectoryId: trajectory.id,
    lineageKey: lineageOf(trajectory),
    family: fault.category,
    slice,
    prefix,
    tools: toolsOf(trajectory),
    ...checkerFor(trajectory.steps, at, fault),
  };
}

/** The assistant turn that holds the fault: the step itself, or the nearest one before it that the model made. */
function faultTurn(steps: readonly Step[], stepIndex: number): number | null {
  for (let i = Math.min(stepIndex, steps.length - 1); i >= 0; i--) if (isTurn(steps[i])) return i;
  return null;
}

function isTurn(step: Step | undefined): boolean {
  return step?.role === 'assistant' && (step.kind === 'message' || step.kind === 'model_call');
}

/** Chat messages of all steps before `at`. Steps that show a call a second time are left out. */
function messagesBefore(steps: readonly Step[], at: number): ChatMessage[] {
  return steps.slice(0, at).flatMap((step): ChatMessage[] => {
    if (step.kind === 'tool_call' || step.kind === 'intervention') return [];
    if (step.role === 'tool') {
      return [{ role: 'tool', content: step.content, tool_call_id: step.toolCallId ?? step.stepId }];
    }
    const calls = callsOf(step);
    return [{ role: step.role, content: step.content, ...(calls.length > 0 ? { tool_calls: calls } : {}) }];
  });
}

function callsOf(step: Step): NonNullable<ChatMessage['tool_calls']> {
  return (step.toolCalls ?? []).map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
}

type Check = Pick<FrozenCase, 'checker' | 'status' | 'note'>;

function checkerFor(steps: readonly Step[], at: number, { category, detail }: Fault): Check {
  const wrong = steps[at]?.toolCalls?.[0];
  if (category === 'unsafe_action' && wrong) {
    const args = parseJsonObject(wrong.arguments);
    const checker = { type: 'forbidden' as const, name: wrong.name, ...(args ? { arguments: args } : {}) };
    return {
      checker,
      status: 'ready',
      note: `the unsafe act${detail ? ` (${detail})` : ''} must not come again`,
    };
  }
  const corrected = wrong ? correctedCall(steps, at, wrong.name) : null;
  if (corrected) {
    const checker = { type: 'expected_call' as const, call: corrected };
    return { checker, status: 'ready', note: 'the call that the agent itself made right later in the run' };
  }
  const note = 'no corrected call is known: a person must name what should have come next';
  return { checker: { type: 'schema' }, status: 'draft', note };
}

/** The next call of the same tool that was answered without an error: how the run itself put the fault right. */
function correctedCall(steps: readonly Step[], at: number, name: string): ExpectedCall | null {
  const first = answerTo(steps, at, steps[at]?.toolCalls?.[0]?.id);
  if (!first || !isError(first)) return null;
  for (let i = at + 1; i < steps.length; i++) {
    for (const call of isTurn(steps[i]) ? (steps[i]?.toolCalls ?? []) : []) {
      const answer = answerTo(steps, i, call.id);
      const args = parseJsonObject(call.arguments);
      if (call.name === name && args && answer && !isError(answer)) return { name, arguments: args };
    }
  }
  return null;
}

/** The next observation of that call: some sources use an id again later in the run. */
function answerTo(steps: readonly Step[], at: number, callId: string | undefined): Step | undefined {
  if (callId === undefined) return undefined;
  return steps.slice(at + 1).find((step) => step.role === 'tool' && step.toolCallId === callId);
}

/** Marked as one by the source, or said in the ways tools say it: `Error: …`, `{"error": …}`. */
function isError({ error, content }: Step): boolean {
  if (error !== undefined) return true;
  if (/^\s*(error|exception|traceback)\b/i.test(content ?? '')) return true;
  const said = parseJsonObject(content ?? '')?.error;
  return said !== undefined && said !== null && said !== false;
}

/** The source's own task ties its repeats together; else the session, or the first thing the user said. */
function lineageOf(trajectory: Trajectory): string {
  const { metadata } = trajectory;
  const own = ['task_id', 'user_task_id', 'question_ID', 'suite_name'].flatMap((key) =>
    metadata[key] === undefined || metadata[key] === null ? [] : [`${key}=${String(metadata[key])}`],
  );
  if (own.length > 0) return `${trajectory.source}:${own.join(',')}`;
  if (trajectory.sessionId !== null) return `${trajectory.source}:session=${trajectory.sessionId}`;
  return `${trajectory.source}:said=${trajectory.steps.find((step) => step.role === 'user')?.content ?? ''}`;
}

/** The tools offered; where the source does not say, those that were called, with open schemas. */
function toolsOf(trajectory: Trajectory): ToolDefinition[] {
  if (trajectory.tools.length > 0) return trajectory.tools;
  const names = new Set(trajectory.steps.flatMap((step) => (step.toolCalls ?? []).map((call) => call.name)));
  return [...names].map((name) => ({ type: 'function', function: { name, parameters: { type: 'object' } } }));
}
