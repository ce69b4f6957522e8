import { Injectable } from '@nestjs/common';
import { ClickHouse } from '#platform/clickhouse';
import type { Feedback, FeedbackTarget } from '../domain/feedback.js';
import { wellFormed, without } from '../domain/json.js';
import { ReceiptSequence } from '../receipt-sequence.js';
import {
  feedbackKinds,
  feedbackOfTargets,
  feedbackPage,
  feedbackProgress,
  feedbackSince,
  trajectoriesOfSessions,
  trajectoriesOfSteps,
  trajectoriesOfTraces,
  type FeedbackRow,
} from './feedback.queries.js';

export type NewFeedback = Omit<Feedback, 'receivedSeq'>;

export interface FeedbackPageQuery {
  projectId: string;
  id?: string | undefined;
  name?: string | undefined;
  traceId?: string | undefined;
  /** From 1. */
  page: number;
  limit: number;
}

const READER = 'join';
/** Ids of one query: they travel in its address. */
const IDS_A_QUERY = 1_000;
/** ClickHouse's `multiSearchAny` takes no more needles. */
const NEEDLES = 255;

/** Owns `feedback` and `feedback_progress`. */
@Injectable()
export class FeedbackRepository {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly sequence: ReceiptSequence,
  ) {}

  /** Resolves when stored. The same id for the same target again replaces it. */
  async add(projectId: string, items: readonly NewFeedback[]): Promise<void> {
    await this.clickhouse.insert(
      'feedback',
      items.map((item) => rowOf(projectId, item, this.sequence.next())),
    );
  }

  /** Newest receipt by kind of target; empty where the project has no feedback at all. */
  async kinds(projectId: string): Promise<Map<string, bigint>> {
    const rows = await this.clickhouse.query(feedbackKinds, { projectId });
    return new Map(rows.map(({ kind, newest }) => [kind, newest]));
  }

  async ofTargets(projectId: string, kind: FeedbackTarget, ids: readonly string[]): Promise<Feedback[]> {
    const rows = await this.inParts(ids, IDS_A_QUERY, (part) =>
      this.clickhouse.query(feedbackOfTargets, { projectId, kind, ids: part }),
    );
    return rows.map((row) => without(row, 'projectId'));
  }

  since(floor: bigint, rows: number): Promise<FeedbackRow[]> {
    return this.clickhouse.query(feedbackSince, { floor, rows });
  }

  async page(query: FeedbackPageQuery): Promise<{ items: Feedback[]; total: number }> {
    const { projectId, id, name, traceId, page, limit } = query;
    const rows = await this.clickhouse.query(feedbackPage, {
      projectId,
      id: id ?? null,
      name: name ?? null,
      traceId: traceId ?? null,
      skip: (page - 1) * limit,
      rows: limit,
    });
    return { items: rows, total: rows[0]?.total ?? 0 };
  }

  /** Stored trajectories that these targets are, hold or are part of. */
  async trajectoryIdsOf(projectId: string, kind: FeedbackTarget, ids: readonly string[]): Promise<string[]> {
    if (kind === 'trajectory') return [...ids];
    const query =
      kind === 'trace'
        ? trajectoriesOfTraces
        : kind === 'session'
          ? trajectoriesOfSessions
          : trajectoriesOfSteps;
    const found = await this.inParts(ids, NEEDLES, (part) =>
      this.clickhouse.query(query, { projectId, ids: part }),
    );
    return found.map(({ id }) => id);
  }

  async joinedThrough(): Promise<bigint> {
    return (await this.clickhouse.query(feedbackProgress, { reader: READER }))[0]?.through ?? 0n;
  }

  async noteJoined(throughSeq: bigint): Promise<void> {
    await this.clickhouse.insert('feedback_progress', [
      { reader: READER, through_seq: throughSeq, noted_seq: this.sequence.next() },
    ]);
  }

  private async inParts<T>(
    ids: readonly string[],
    size: number,
    ask: (part: string[]) => Promise<T[]>,
  ): Promise<T[]> {
    const found: T[] = [];
    for (let from = 0; from < ids.length; from += size)
      found.push(...(await ask(ids.slice(from, from + size))));
    return found;
  }
}

function rowOf(projectId: string, item: NewFeedback, receivedSeq: bigint): Record<string, unknown> {
  return {
    project_id: projectId,
    target_kind: item.targetKind,
    target_id: wellFormed(item.targetId),
    feedback_id: wellFormed(item.id),
    step_id: item.stepId === null ? '' : wellFormed(item.stepId),
    received_seq: receivedSeq,
    observed_ns: item.observedAtNs,
    name: wellFormed(item.name),
    value: JSON.stringify(item.value),
    comment: item.comment === null ? null : wellFormed(item.comment),
    source: wellFormed(item.source),
    authenticated: item.authenticatedUser === null ? null : Number(item.authenticatedUser),
  };
}
