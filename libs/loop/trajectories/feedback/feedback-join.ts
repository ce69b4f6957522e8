import { Injectable } from '@nestjs/common';
import type { AssembledTrajectory } from '../domain/assemble.js';
import { withFeedback, type Feedback, type FeedbackTarget } from '../domain/feedback.js';
import { groupBy } from '../domain/json.js';
import { FeedbackRepository } from './feedback.repository.js';

export interface Joined {
  items: AssembledTrajectory[];
  /** What the project's feedback was when it was read: another value means that more came. */
  stamp: string;
}

type Targeted = Pick<AssembledTrajectory, 'id' | 'traceId' | 'sessionId' | 'steps'>;

/** Brings feedback and trajectories together, whichever came first. */
@Injectable()
export class FeedbackJoin {
  constructor(private readonly feedback: FeedbackRepository) {}

  /** The trajectories with all feedback stored now: on them, their traces, sessions, steps and answers. */
  async join(projectId: string, trajectories: readonly AssembledTrajectory[]): Promise<Joined> {
    const kinds = await this.feedback.kinds(projectId);
    const found = await this.ofMany(projectId, trajectories, kinds);
    return {
      items: trajectories.map((item) => withFeedback(item, found.get(item.id) ?? [])),
      stamp: stampOf(kinds),
    };
  }

  /** Whether no feedback came to the project since. */
  async isCurrent(projectId: string, stamp: string): Promise<boolean> {
    return stampOf(await this.feedback.kinds(projectId)) === stamp;
  }

  /** In the order in which it was observed. */
  async of(projectId: string, trajectory: Targeted): Promise<Feedback[]> {
    const found = await this.ofMany(projectId, [trajectory], await this.feedback.kinds(projectId));
    return (found.get(trajectory.id) ?? []).sort((a, b) =>
      BigInt(a.observedAtNs) < BigInt(b.observedAtNs) ? -1 : 1,
    );
  }

  private async ofMany(
    projectId: string,
    trajectories: readonly Targeted[],
    kinds: ReadonlyMap<string, bigint>,
  ): Promise<Map<string, Feedback[]>> {
    const byTarget = new Map<string, Feedback[]>();
    for (const kind of TARGETS) {
      if (!kinds.has(kind)) continue;
      const ids = new Set(trajectories.flatMap((item) => targetsOf(item, kind)));
      const rows = await this.feedback.ofTargets(projectId, kind, [...ids]);
      for (const [id, items] of groupBy(rows, (row) => row.targetId)) byTarget.set(keyOf(kind, id), items);
    }
    return new Map(
      trajectories.map((item) => [
        item.id,
        TARGETS.flatMap((kind) =>
          byTarget.size === 0
            ? []
            : targetsOf(item, kind).flatMap((id) => byTarget.get(keyOf(kind, id)) ?? []),
        ),
      ]),
    );
  }
}

const TARGETS: readonly FeedbackTarget[] = ['trajectory', 'trace', 'session', 'step', 'response'];

function targetsOf(item: Targeted, kind: FeedbackTarget): string[] {
  if (kind === 'trajectory') return [item.id];
  if (kind === 'trace') return item.traceId === null ? [] : [item.traceId];
  if (kind === 'session') return item.sessionId === null ? [] : [item.sessionId];
  const ids = item.steps.flatMap((step) => (kind === 'step' ? step.stepId : step.responseId) ?? []);
  return [...new Set(ids)];
}

function keyOf(kind: FeedbackTarget, id: string): string {
  return `${kind} ${id}`;
}

function stampOf(kinds: ReadonlyMap<string, bigint>): string {
  return [...kinds].map(([kind, newest]) => `${kind}:${newest}`).join(' ');
}
