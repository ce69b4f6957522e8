import { Injectable } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { Assembler } from '../assembler.service.js';
import type { FeedbackTarget } from '../domain/feedback.js';
import { groupBy, without } from '../domain/json.js';
import { TrajectoriesRepository } from '../trajectories.repository.js';
import { FeedbackRepository } from './feedback.repository.js';
import type { FeedbackRow } from './feedback.queries.js';

/** Receipts are looked at again for this long, so that an insert which finished late is not passed by. */
const LOOK_BACK_NS = 120_000_000_000n;
const ROWS_A_LOOK = 1_000;
const TRAJECTORIES_A_ROUND = 50;

/**
 * Takes feedback that came late to the trajectories that are there: each becomes a new revision. Feedback that came early
 * waits in its table, for every assembly reads it. Runs where traces are assembled, never beside an assembly.
 */
@Injectable()
export class FeedbackSweep {
  /** Receipts below are done; not read yet while undefined. */
  private floor: bigint | undefined;
  /** Sequences above the floor that are done. */
  private done = new Set<bigint>();

  constructor(
    private readonly feedback: FeedbackRepository,
    private readonly trajectories: TrajectoriesRepository,
    private readonly assembler: Assembler,
    private readonly clock: Clock,
  ) {}

  /** One look; returns how many pieces of feedback were taken to what they are about. Calls must not overlap. */
  async run(): Promise<number> {
    this.floor ??= lookBack(await this.feedback.joinedThrough());
    const nowNs = this.clock.nowNs();
    const failures: { receivedSeq: bigint; error: unknown }[] = [];
    let taken = 0;
    let newest = 0n;
    for (let from = this.floor; ;) {
      const rows = await this.feedback.since(from, ROWS_A_LOOK);
      const fresh = rows.filter(({ receivedSeq }) => !this.done.has(receivedSeq));
      for (const [projectId, items] of groupBy(fresh, (row) => row.projectId))
        for (const item of await this.takeOrSplit(projectId, items, failures)) {
          this.done.add(item.receivedSeq);
          taken += 1;
        }
      newest = rows.at(-1)?.receivedSeq ?? newest;
      if (rows.length < ROWS_A_LOOK) break;
      from = newest;
    }
    const [failed] = failures;
    if (taken > 0 && failed === undefined) await this.feedback.noteJoined(newest);
    this.forget(
      failures.reduce(
        (min, { receivedSeq }) => (receivedSeq <= min ? receivedSeq - 1n : min),
        lookBack(nowNs),
      ),
    );
    if (failed !== undefined) throw failed.error;
    return taken;
  }

  /** After a failure each piece goes alone: one that cannot be joined must not hold back the others. It stays pending. */
  private async takeOrSplit(
    projectId: string,
    items: readonly FeedbackRow[],
    failures: { receivedSeq: bigint; error: unknown }[],
  ): Promise<readonly FeedbackRow[]> {
    try {
      await this.take(projectId, items);
      return items;
    } catch (error) {
      const [only] = items;
      if (items.length === 1 && only !== undefined) {
        failures.push({ receivedSeq: only.receivedSeq, error });
        return [];
      }
      const done: FeedbackRow[] = [];
      for (const item of items) done.push(...(await this.takeOrSplit(projectId, [item], failures)));
      return done;
    }
  }

  private async take(projectId: string, items: readonly FeedbackRow[]): Promise<void> {
    const ids = new Set<string>();
    for (const [kind, rows] of groupBy(items, (row) => row.targetKind)) {
      const targets = [...new Set(rows.map((row) => row.targetId))];
      for (const id of await this.feedback.trajectoryIdsOf(projectId, kind satisfies FeedbackTarget, targets))
        ids.add(id);
    }
    const all = [...ids];
    for (let from = 0; from < all.length; from += TRAJECTORIES_A_ROUND)
      await this.renew(projectId, all.slice(from, from + TRAJECTORIES_A_ROUND));
  }

  /** What has spans is assembled from them anew; what was imported whole is stored again. Both read the feedback. */
  private async renew(projectId: string, ids: readonly string[]): Promise<void> {
    const found = await this.trajectories.getMany(projectId, ids);
    const traced = found.filter(({ source }) => source === 'otlp').flatMap(({ traceId }) => traceId ?? []);
    const whole = found.filter(({ source, traceId }) => source !== 'otlp' || traceId === null);
    await this.assembler.assemble(projectId, [...new Set(traced)]);
    if (whole.length > 0)
      await this.assembler.store(
        projectId,
        whole.map((item) => without(item, 'revision')),
      );
  }

  private forget(settled: bigint): void {
    if (this.floor === undefined || settled <= this.floor) return;
    this.floor = settled;
    this.done = new Set([...this.done].filter((seq) => seq > settled));
  }
}

function lookBack(seq: bigint): bigint {
  return seq > LOOK_BACK_NS ? seq - LOOK_BACK_NS : 0n;
}
