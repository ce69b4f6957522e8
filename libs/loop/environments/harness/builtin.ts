/** The builtin harness: one task, one policy, a loop of model turns and tools until a final message or a limit. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatMessage } from '#contracts/chat';
import type { EnvironmentDefinition, EnvironmentSession, EnvironmentTask } from '#contracts/environment';
import type { ModelCall, StopReason } from '#contracts/rollout';
import { looksLikeToolCall } from '../domain/tool-call-text.js';
import {
  complete,
  type ChatReply,
  type ChatRequest,
  type PolicyEndpoint,
  type Sampling,
} from './chat-client.js';
import { callCheck, type CallCheck } from './tool-checks.js';

export interface TaskRun {
  messages: ChatMessage[];
  modelCalls: ModelCall[];
  toolCalls: string[];
  invalidOutput: boolean;
  toolError: boolean;
  session: EnvironmentSession;
  /** How it ended, or the infrastructure that kept it from ending. */
  end: { state: 'done'; stopReason: StopReason } | { state: 'masked'; kind: string; reason: string };
}

export interface TaskRunOptions {
  definition: EnvironmentDefinition;
  task: EnvironmentTask;
  policy: PolicyEndpoint;
  sampling: Sampling;
  /** Seed of the run; turn k is sampled with `seed + k`. */
  seed: number;
  signal?: AbortSignal;
  /** Compiled once for many runs. */
  check?: CallCheck;
}

/** An unanswered call is tried again: nothing was measured yet, so nothing is measured twice. */
const RETRY_AFTER_MS = [200, 1000] as const;

/** Runs one task to its end. Never throws, except when `signal` is aborted. */
export async function runTask(options: TaskRunOptions): Promise<TaskRun> {
  const { definition, task } = options;
  const check = options.check ?? callCheck(definition.tools);
  const run: TaskRun = {
    messages: [...task.messages],
    modelCalls: [],
    toolCalls: [],
    invalidOutput: false,
    toolError: false,
    session: definition.open(task),
    end: { state: 'done', stopReason: 'step_limit' },
  };
  for (let turn = 0; turn < definition.maxTurns; turn++) {
    const reply = await ask(options, {
      messages: run.messages,
      tools: definition.tools,
      sampling: options.sampling,
      seed: options.seed + turn,
    });
    const end = takeTurn(run, reply, check);
    if (end === null) continue;
    run.end = end;
    break;
  }
  if (run.end.state === 'done' && run.end.stopReason === 'invalid_output') run.invalidOutput = true;
  return run;
}

async function ask({ policy, signal }: TaskRunOptions, request: ChatRequest): Promise<ChatReply> {
  let reply = await complete(policy, request, signal);
  for (const waitMs of RETRY_AFTER_MS) {
    if (reply.state !== 'unavailable' || !reply.retriable) return reply;
    await delay(waitMs, undefined, signal ? { signal } : {});
    reply = await complete(policy, request, signal);
  }
  return reply;
}

/** Adds one answer to the run and runs its calls. @returns how the run ended, or null where it goes on. */
function takeTurn(run: TaskRun, reply: ChatReply, check: CallCheck): TaskRun['end'] | null {
  if (reply.state === 'unavailable') return { state: 'masked', kind: reply.kind, reason: reply.reason };
  if (reply.state === 'too_long') return { state: 'done', stopReason: 'length' };
  run.modelCalls.push(reply.call);
  run.messages.push(reply.message);
  const calls = reply.message.tool_calls ?? [];
  if (calls.length === 0) {
    if (looksLikeToolCall(reply.message.content)) return { state: 'done', stopReason: 'invalid_output' };
    return { state: 'done', stopReason: reply.finishReason === 'length' ? 'length' : 'stop' };
  }
  for (const call of calls) {
    const checked = check(call);
    run.toolCalls.push(call.function.name);
    if (checked.problem !== null) run.invalidOutput = true;
    const content =
      checked.arguments === null ? NOT_JSON : callTool(run, call.function.name, checked.arguments);
    run.messages.push({ role: 'tool', tool_call_id: call.id, content });
  }
  return null;
}

const NOT_JSON = '{"error": "the arguments are not a JSON object"}';

function callTool(run: TaskRun, name: string, args: Record<string, unknown>): string {
  const { content, error } = run.session.callTool(name, args);
  if (error) run.toolError = true;
  return content;
}
