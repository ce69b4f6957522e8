/** One run of the agent: model turns and tools over its tables, until a final message, an error or too many turns. */
import type { ChatMessage, ChatToolCall } from '#contracts/chat';
import type {
  EnvironmentDefinition,
  EnvironmentSession,
  EnvironmentTask,
  RolloutTranscript,
} from '#contracts/environment';
import { askModel, ModelError, type ModelAnswer, type ModelEndpoint } from './agent-chat.js';

/** Nanoseconds since the epoch. */
export type Nanoseconds = bigint;

export interface TimedSpan {
  startNs: Nanoseconds;
  endNs: Nanoseconds;
}

export interface ModelTurn extends TimedSpan {
  kind: 'chat';
  /** The conversation so far, as the model was given it. */
  input: readonly ChatMessage[];
  /** What it said, or why it could not be asked. */
  answer: ModelAnswer | ModelError;
}

export interface ToolUse extends TimedSpan {
  kind: 'tool';
  call: ChatToolCall;
  result: string;
  /** Kind of the tool's error; null when it did what was asked. */
  errorType: string | null;
}

export interface AgentRun extends TimedSpan {
  task: EnvironmentTask;
  sessionId: string;
  events: (ModelTurn | ToolUse)[];
  messages: ChatMessage[];
  stopReason: RolloutTranscript['stopReason'] | 'model_error';
  /** The application's own judgement; null where the model could not be asked, so that there is nothing to judge. */
  success: boolean | null;
}

export interface RunParts {
  environment: EnvironmentDefinition;
  endpoint: ModelEndpoint;
  nowNs(): Nanoseconds;
  onAnswer(answer: ModelAnswer): void;
}

/** Never throws: a model that cannot be asked ends the run as `model_error`. */
export async function runAgent(parts: RunParts, task: EnvironmentTask, sessionId: string): Promise<AgentRun> {
  const session = parts.environment.open(task);
  const startNs = parts.nowNs();
  const run: AgentRun = {
    task,
    sessionId,
    events: [],
    messages: [...task.messages],
    stopReason: 'step_limit',
    success: null,
    startNs,
    endNs: startNs,
  };
  for (let turn = 0; turn < parts.environment.maxTurns; turn++) {
    const end = await takeTurn(parts, run, session);
    if (end === null) continue;
    run.stopReason = end;
    break;
  }
  run.success = judge(parts.environment, run, session);
  run.endNs = parts.nowNs();
  return run;
}

/** Asks the model and does what it calls for. @returns how the run ended, or null where it goes on. */
async function takeTurn(
  parts: RunParts,
  run: AgentRun,
  session: EnvironmentSession,
): Promise<AgentRun['stopReason'] | null> {
  const startNs = parts.nowNs();
  const input = [...run.messages];
  const answer = await askModel(parts.endpoint, {
    messages: input,
    tools: parts.environment.tools,
    sessionId: run.sessionId,
  }).catch((error: unknown) =>
    error instanceof ModelError ? error : new ModelError('error', String(error)),
  );
  run.events.push({ kind: 'chat', input, answer, startNs, endNs: parts.nowNs() });
  // A conversation that outgrew the model is the model's doing and is judged; anything else is not.
  if (answer instanceof ModelError) return answer.type === '400' ? 'length' : 'model_error';
  parts.onAnswer(answer);
  run.messages.push(answer.message);
  const calls = answer.message.tool_calls ?? [];
  for (const call of calls) useTool(parts, run, { session, call });
  if (calls.length > 0) return null;
  return answer.finishReason === 'length' ? 'length' : 'stop';
}

function useTool(
  parts: RunParts,
  run: AgentRun,
  { session, call }: { session: EnvironmentSession; call: ChatToolCall },
): void {
  const startNs = parts.nowNs();
  const args = argumentsOf(call);
  const outcome = args
    ? session.callTool(call.function.name, args)
    : { content: '{"error": "the arguments are not a JSON object"}', error: { kind: 'bad_arguments' } };
  const errorType = outcome.error?.kind ?? null;
  run.events.push({ kind: 'tool', call, result: outcome.content, errorType, startNs, endNs: parts.nowNs() });
  run.messages.push({ role: 'tool', tool_call_id: call.id, content: outcome.content });
}

function argumentsOf(call: ChatToolCall): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(call.function.arguments);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** What the application itself checks afterwards: are the tables as they should be, and was nothing forbidden done? */
function judge(
  environment: EnvironmentDefinition,
  { stopReason, messages }: AgentRun,
  session: EnvironmentSession,
): boolean | null {
  if (stopReason === 'model_error') return null;
  const verdict = environment.verifiers['state']?.verify(session, { messages, stopReason });
  return verdict?.state === 'scored' ? verdict.success : null;
}
