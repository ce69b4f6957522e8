import { Injectable } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import { CompletedFeed } from './completed-feed.js';
import { assembleTrace, responseIdsOf, type AssembledTrajectory } from './domain/assemble.js';
import { mayBeEntry } from './domain/completion.js';
import { dialectOf } from './domain/dialects/index.js';
import type { StoredSpan } from './domain/span.js';
import { FeedbackJoin } from './feedback/feedback-join.js';
import { SpansRepository, type TraceAssembly } from './spans.repository.js';
import { TrajectoriesRepository } from './trajectories.repository.js';

/** Traces read, assembled and stored together: one query and one insert for all of them. */
const TRACES_A_ROUND = 50;

/**
 * Stored spans → stored trajectories → `completed.v1`. The order makes it repeatable: trajectories, then the event, then the
 * note that the trace is assembled; killed anywhere between, the next sweep does the same work again and changes nothing.
 */
@Injectable()
export class Assembler {
  constructor(
    private readonly spans: SpansRepository,
    private readonly trajectories: TrajectoriesRepository,
    private readonly completed: CompletedFeed,
    private readonly feedback: FeedbackJoin,
  ) {}

  /** Assembles traces from all of their spans stored now; returns the trajectories with their revisions. */
  async assemble(projectId: string, traceIds: readonly string[]): Promise<Trajectory[]> {
    const done: Trajectory[] = [];
    for (let from = 0; from < traceIds.length; from += TRACES_A_ROUND) {
      done.push(...(await this.assembleRound(projectId, traceIds.slice(from, from + TRACES_A_ROUND))));
    }
    return done;
  }

  /** Stores what an import made of its rows, with the feedback on it, and tells that it is complete. */
  async store(projectId: string, assembled: readonly AssembledTrajectory[]): Promise<Trajectory[]> {
    const saved = await this.saveWithFeedback(projectId, assembled);
    await this.completed.publish(
      saved.map(({ id, revision }) => ({ projectId, trajectoryId: id, revision })),
    );
    return saved;
  }

  /** What came while the trajectories were being stored did not find them yet: it is joined here. */
  private async saveWithFeedback(
    projectId: string,
    assembled: readonly AssembledTrajectory[],
  ): Promise<Trajectory[]> {
    if (assembled.length === 0) return [];
    const { items, stamp } = await this.feedback.join(projectId, assembled);
    const saved = await this.trajectories.save(projectId, items);
    if (await this.feedback.isCurrent(projectId, stamp)) return saved;
    return this.trajectories.save(projectId, (await this.feedback.join(projectId, assembled)).items);
  }

  private async assembleRound(projectId: string, traceIds: readonly string[]): Promise<Trajectory[]> {
    const found = await this.spans.ofTraces(projectId, traceIds);
    const byTrace = new Map(
      traceIds.flatMap((traceId) =>
        found.has(traceId) ? [[traceId, found.get(traceId) ?? []] as const] : [],
      ),
    );
    const captured = await this.spans.capturesOf(projectId, [...byTrace.values()].flatMap(responseIdsOf));
    const captures = new Map(captured.map((capture) => [capture.responseId, capture]));
    const assembled = [...byTrace].flatMap(([traceId, spans]) =>
      assembleTrace({ projectId, traceId, spans, captures }),
    );
    const before = await this.spans.assembledInto(projectId, traceIds);
    const saved = await this.store(projectId, assembled);
    const kept = new Set(assembled.map(({ id }) => id));
    await this.trajectories.retract(
      projectId,
      [...before.values()].flat().filter((id) => !kept.has(id)),
    );
    await this.spans.recordAssemblies(
      [...byTrace].map(([traceId, spans]) => assemblyOf(projectId, { traceId, spans, assembled })),
    );
    return saved;
  }
}

function assemblyOf(
  projectId: string,
  trace: { traceId: string; spans: StoredSpan[]; assembled: AssembledTrajectory[] },
): TraceAssembly {
  const { traceId, spans, assembled } = trace;
  return {
    projectId,
    traceId,
    throughSeq: spans
      .map((span) => BigInt(span.receivedSeq))
      .reduce((max, seq) => (seq > max ? seq : max), 0n),
    entrySeen: spans.some((span) => mayBeEntry(span, dialectOf(span).identify(span).kind)),
    trajectoryIds: assembled.filter((item) => item.traceId === traceId).map(({ id }) => id),
  };
}
