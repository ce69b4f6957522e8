/** Hand-made trajectories for specs. */
import type { ToolDefinition } from '#contracts/chat';
import type { Step, Trajectory } from '#contracts/trajectory';

export type Turn =
  | { system: string }
  | { user: string }
  | {
      call: [name: string, args: Record<string, unknown> | string];
      result?: string;
      error?: string;
      observed?: boolean;
    }
  | { say: string | null; finish?: string };

/** One string parameter a name; `read_`, `find_` and `get_` tools read. */
export function toolOf(name: string, parameters: Record<string, unknown>): ToolDefinition {
  return {
    type: 'function',
    function: {
      name,
      parameters: {
        type: 'object',
        properties: parameters,
        required: Object.keys(parameters),
        additionalProperties: false,
      },
    },
  };
}

const text = { type: 'string' };
export const TOOLS: ToolDefinition[] = [
  toolOf('find_event', { name: text }),
  toolOf('move_event', { id: text, day: { type: 'string', enum: ['monday', 'tuesday', 'friday'] } }),
  toolOf('cancel_event', { id: text }),
  toolOf('read_mail', { name: text }),
  toolOf('reply_email', { id: text, text }),
  toolOf('forward_email', { id: text, to: text }),
  toolOf('send_email', { to: text, subject: text }),
];

/** Turns as a traced run tells them: a model call, then the tool's own step; with `observed`, as an imported run does. */
export function stepsOf(turns: readonly Turn[]): Step[] {
  const steps: Step[] = [];
  const push = (step: Omit<Step, 'index' | 'stepId'>): void => {
    steps.push({ stepId: `s${steps.length}`, index: steps.length, ...step });
  };
  turns.forEach((turn, at) => {
    if ('system' in turn) push({ kind: 'message', role: 'system', content: turn.system });
    else if ('user' in turn) push({ kind: 'message', role: 'user', content: turn.user });
    else if ('say' in turn) {
      push({
        kind: 'model_call',
        role: 'assistant',
        content: turn.say,
        finishReasons: [turn.finish ?? 'stop'],
      });
    } else {
      const [name, args] = turn.call;
      const call = {
        id: `call_${at}`,
        name,
        arguments: typeof args === 'string' ? args : JSON.stringify(args),
      };
      push({
        kind: 'model_call',
        role: 'assistant',
        content: null,
        toolCalls: [call],
        finishReasons: ['tool_calls'],
      });
      if (turn.result === undefined && turn.error === undefined) return;
      push({
        kind: turn.observed === true ? 'observation' : 'tool_call',
        role: 'tool',
        content: turn.result ?? null,
        toolName: name,
        toolCallId: call.id,
        ...(turn.error === undefined ? {} : { error: turn.error }),
      });
    }
  });
  return steps;
}

export function runOf(
  turns: readonly Turn[],
  given: Partial<Omit<Trajectory, 'outcome'>> & { outcome?: Trajectory['outcome']['value'] } = {},
): Trajectory {
  const { outcome = 'failure', ...rest } = given;
  return {
    id: 't1',
    projectId: 'p1',
    externalId: 'x1',
    revision: 1,
    source: 'otlp',
    agent: 'helper',
    agentRef: null,
    policy: null,
    sessionId: null,
    traceId: null,
    outcome: { value: outcome, source: outcome === 'unknown' ? 'none' : 'explicit', confidence: 1 },
    reward: null,
    tools: TOOLS,
    steps: stepsOf(turns),
    metadata: {},
    startedAtNs: '1700000000000000000',
    endedAtNs: '1700000001000000000',
    usage: { inputTokens: null, outputTokens: null },
    costUsd: null,
    ...rest,
  };
}
