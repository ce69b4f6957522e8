/** NeMo Gym's resources server over the registered environments: seed, call tools, verify; and the gymnasium form. */
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { EnvironmentTask } from '#contracts/environment';
import { AppError } from '#kernel/errors';
import { parseJsonObject } from '#kernel/json-object';
import { Incomplete, ResponseItem, transcriptOf } from '../domain/responses.js';
import { hasContentId } from '../domain/self-proof.js';
import { looksLikeToolCall } from '../domain/tool-call-text.js';
import { judge, verifierOf } from '../domain/verdict.js';
import { maskedReply, replyOf, type GymReply } from './gym-reply.js';
import { GymSessions, type GymSession } from './gym-session.js';
import type { GymScope } from './gym-tokens.js';
import { TaskSource } from './task-source.js';

/** NeMo Gym sends its whole row; what is not named here is ignored. */
export const SeedBody = z.object({
  task_id: z.string().optional(),
  task: z.unknown().optional(),
  verifier: z.string().optional(),
});
export type SeedBody = z.infer<typeof SeedBody>;

const ResponseBody = z.object({
  output: z.array(ResponseItem),
  incomplete_details: z.object({ reason: z.string() }).nullish(),
});
export const VerifyBody = z.object({
  task_id: z.string().optional(),
  verifier: z.string().optional(),
  response: ResponseBody,
  incomplete: Incomplete.nullish(),
});
export type VerifyBody = z.infer<typeof VerifyBody>;

export const StepBody = z.object({ response: ResponseBody });
export type StepBody = z.infer<typeof StepBody>;

export interface StepReply {
  observation: null;
  reward: number;
  terminated: boolean;
  truncated: boolean;
  info: Record<string, unknown>;
}

/** How a request names its session. */
export interface SessionKey {
  scope: GymScope;
  sessionId: string | null;
}

export const SESSION_LOST = maskedReply(
  'session_lost',
  'The session is not known here: it expired, or the server restarted.',
);

@Injectable()
export class GymService {
  constructor(
    private readonly sessions: GymSessions,
    private readonly source: TaskSource,
  ) {}

  /**
   * Opens an episode.
   * @throws AppError `request.forbidden` for a task of a split, or a verifier, that the token is not for;
   * `resource.not_found` for an unknown task; `store.unavailable` when too many are open.
   */
  async seed(scope: GymScope, body: SeedBody): Promise<GymSession> {
    const definition = await this.source.definition(scope.projectId, scope.environmentId);
    assertVerifier(scope, body.verifier);
    const task = body.task === undefined ? await this.storedTask(scope, body.task_id) : ownTask(body.task);
    await this.assertOpens(scope, task);
    return this.sessions.start({
      environmentId: scope.environmentId,
      definition,
      task,
      verifier: verifierOf(definition, scope.verifier),
    });
  }

  /**
   * Runs one tool; the observation is the body of the answer, errors of the tool included.
   * @throws AppError `resource.not_found` where the session is lost, `resource.conflict` after the verdict.
   */
  callTool(key: SessionKey, name: string, args: unknown): string {
    const session = this.sessions.find(key.sessionId, key.scope);
    if (!session) throw new AppError('resource.not_found', { public: `${SESSION_LOST.failure_reason}` });
    if (session.verdict)
      throw new AppError('resource.conflict', { public: 'This episode was judged already.' });
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return NOT_AN_OBJECT;
    return session.episode.callTool(name, args as Record<string, unknown>).content;
  }

  /**
   * Judges the episode; asking again gives the same answer. A lost session is a mask.
   * @throws AppError `request.invalid` where the body names another task than the session's.
   */
  verify(key: SessionKey, body: VerifyBody): GymReply {
    assertVerifier(key.scope, body.verifier);
    const session = this.sessions.find(key.sessionId, key.scope);
    if (!session) return SESSION_LOST;
    if (body.task_id !== undefined && body.task_id !== session.task.id) {
      throw new AppError('request.invalid', { public: 'The session was opened for another task.' });
    }
    if (session.verdict) return session.verdict;
    const incomplete = body.incomplete ?? (body.response.incomplete_details ? 'length' : null);
    const transcript = transcriptOf(session.task.messages, body.response.output, incomplete);
    session.verdict = replyOf(judge(session.verifier, session.episode, transcript), transcript.stopReason);
    return session.verdict;
  }

  /** Ends an episode; ending one that is gone is no error. */
  close(key: SessionKey): void {
    const session = this.sessions.find(key.sessionId, key.scope);
    if (session) this.sessions.close(session.id);
  }

  /** One model turn of the gymnasium form: runs the turn's calls, or judges when there are none or no turn is left. */
  step(key: SessionKey, body: StepBody): StepReply {
    const session = this.sessions.find(key.sessionId, key.scope);
    if (!session) return stepEnd(SESSION_LOST, true);
    if (session.verdict) return stepEnd(session.verdict, false);
    session.turns += 1;
    const { output, incomplete_details } = body.response;
    const turn = transcriptOf(
      [],
      output.filter((item) => item.type !== 'function_call_output'),
    );
    session.messages.push(...turn.messages);
    const calls = turn.messages.flatMap((message) => message.tool_calls ?? []);
    const cut = Boolean(incomplete_details);
    if (calls.length === 0 || cut) return this.endStep(session, cut ? 'length' : 'stop');
    const toolOutputs = calls.map((call) => {
      const args = parseJsonObject(call.function.arguments);
      const text = args === null ? NOT_AN_OBJECT : session.episode.callTool(call.function.name, args).content;
      session.messages.push({ role: 'tool', tool_call_id: call.id, content: text });
      return { call_id: call.id, output: text };
    });
    if (session.turns >= session.definition.maxTurns) return this.endStep(session, 'step_limit', toolOutputs);
    const info = { tool_outputs: toolOutputs };
    return { observation: null, reward: 0, terminated: false, truncated: false, info };
  }

  private endStep(
    session: GymSession,
    reason: 'stop' | 'length' | 'step_limit',
    toolOutputs?: unknown[],
  ): StepReply {
    const unparsed = reason === 'stop' && looksLikeToolCall(session.messages.at(-1)?.content ?? null);
    const stopReason = unparsed ? 'invalid_output' : reason;
    const transcript = { messages: session.messages, stopReason } as const;
    session.verdict = replyOf(judge(session.verifier, session.episode, transcript), stopReason);
    return stepEnd(session.verdict, reason !== 'stop', toolOutputs);
  }

  /**
   * A task's own word for its split is not enough: a task sent along could be a held-out one under another label. Its
   * lineage must be one that was published in that split; only a token for held-out tasks opens unpublished ones.
   */
  private async assertOpens(scope: GymScope, task: EnvironmentTask): Promise<void> {
    const declared = await this.source.splitOfLineage(scope.projectId, scope.environmentId, task.lineageKey);
    const agrees = declared === null ? task.split === 'heldout' : declared === task.split;
    if (agrees && scope.splits.includes(task.split)) return;
    throw new AppError('request.forbidden', {
      public: `This token opens published ${scope.splits.join(' and ')} tasks only.`,
      detail: { taskId: task.id, split: task.split, declared },
    });
  }

  private async storedTask(scope: GymScope, taskId: string | undefined): Promise<EnvironmentTask> {
    if (taskId === undefined)
      throw new AppError('request.invalid', { public: 'Name a task_id, or send a task.' });
    const task = await this.source.task(scope.projectId, scope.environmentId, taskId);
    if (!task) throw new AppError('resource.not_found', { public: 'This environment has no such task.' });
    return task;
  }
}

const NOT_AN_OBJECT = '{"error": "the arguments are not a JSON object"}';

/** A task sent along must be whole and unaltered: its id is the hash of its content, the split included. */
function ownTask(body: unknown): EnvironmentTask {
  const parsed = EnvironmentTask.safeParse(body);
  if (parsed.success && hasContentId(parsed.data)) return parsed.data;
  throw new AppError('request.invalid', {
    public: 'The task is not whole, or its id is not the hash of its content.',
  });
}

function assertVerifier(scope: GymScope, verifier: string | undefined): void {
  if (verifier === undefined || verifier === scope.verifier) return;
  throw new AppError('request.forbidden', {
    public: `This token asks ${scope.verifier} for its verdicts only.`,
  });
}

function stepEnd(reply: GymReply, truncated: boolean, toolOutputs: unknown[] = []): StepReply {
  const { reward, ...rest } = reply;
  return {
    observation: null,
    reward,
    terminated: !truncated,
    truncated,
    info: { ...rest, tool_outputs: toolOutputs },
  };
}
