/** Open episodes, in memory: bounded in number and age. A session that is gone is answered with a mask, never a 0. */
import type { ChatMessage } from '#contracts/chat';
import type {
  EnvironmentDefinition,
  EnvironmentSession,
  EnvironmentTask,
  Verifier,
} from '#contracts/environment';
import type { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import type { GymReply } from './gym-reply.js';
import type { GymScope } from './gym-tokens.js';

export interface GymSession {
  readonly id: string;
  readonly environmentId: string;
  readonly definition: EnvironmentDefinition;
  readonly task: EnvironmentTask;
  readonly episode: EnvironmentSession;
  readonly verifier: Verifier;
  readonly openedAtMs: number;
  /** Kept for the gymnasium form, where the server sees every turn. */
  readonly messages: ChatMessage[];
  turns: number;
  /** Once there, the answer to every further question about this episode. */
  verdict: GymReply | null;
}

export interface SessionLimits {
  mostSessions: number;
  /** From opening; an episode takes seconds. */
  mostAgeMs: number;
}
export const DEFAULT_LIMITS: SessionLimits = { mostSessions: 4096, mostAgeMs: 30 * 60_000 };

export class GymSessions {
  /** In order of opening, so the oldest come first. */
  private readonly open = new Map<string, GymSession>();

  constructor(
    private readonly clock: Clock,
    private readonly newId: () => string,
    private readonly limits: SessionLimits = DEFAULT_LIMITS,
  ) {}

  get size(): number {
    return this.open.size;
  }

  /** @throws AppError `store.unavailable` when as many episodes as allowed are under way. */
  start(of: Pick<GymSession, 'environmentId' | 'definition' | 'task' | 'verifier'>): GymSession {
    this.dropOld();
    if (this.open.size >= this.limits.mostSessions) this.dropJudged();
    if (this.open.size >= this.limits.mostSessions) {
      throw new AppError('store.unavailable', {
        public: `${this.limits.mostSessions} environment sessions are open; close some, or try again later.`,
      });
    }
    const session: GymSession = {
      ...of,
      id: this.newId(),
      episode: of.definition.open(of.task),
      openedAtMs: this.clock.nowMs(),
      messages: [...of.task.messages],
      turns: 0,
      verdict: null,
    };
    this.open.set(session.id, session);
    return session;
  }

  /** The episode, if it is open and of what the token is for. */
  find(id: string | null, scope: GymScope): GymSession | null {
    const session = id === null ? undefined : this.open.get(id);
    if (!session || session.environmentId !== scope.environmentId) return null;
    if (!scope.splits.includes(session.task.split)) return null;
    if (this.isOld(session)) {
      this.open.delete(session.id);
      return null;
    }
    return session;
  }

  close(id: string): void {
    this.open.delete(id);
  }

  private isOld(session: GymSession): boolean {
    return this.clock.nowMs() - session.openedAtMs > this.limits.mostAgeMs;
  }

  private dropOld(): void {
    for (const session of this.open.values()) {
      if (!this.isOld(session)) return;
      this.open.delete(session.id);
    }
  }

  private dropJudged(): void {
    for (const session of this.open.values()) if (session.verdict !== null) this.open.delete(session.id);
  }
}
