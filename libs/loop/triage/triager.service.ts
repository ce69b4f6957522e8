import { Injectable } from '@nestjs/common';
import type { Trajectory, TrajectoryCompleted } from '#contracts/trajectory';
import { Clock } from '#kernel/clock';
import { messageOf } from '#kernel/errors';
import { Trajectories } from '#loop/trajectories';
import { Log } from '#platform/telemetry';
import { Buckets } from './buckets.service.js';
import { diagnose, RULES_VERSION } from './domain/diagnose.js';
import { FailuresRepository, type TriagedTrajectory } from './failures.repository.js';

/** Trajectories read and recorded together. */
const TRAJECTORIES_A_ROUND = 50;
/** What arrived more recently than this has its event on the way: the scan leaves it alone. */
const EVENT_GRACE_NS = 15_000_000_000n;
const ROUNDS_A_SCAN = 200;

/** Completed trajectories → failures, states and buckets. Doing it twice leaves what doing it once does. */
@Injectable()
export class Triager {
  /** Revisions stored before this were all looked at by an earlier scan of this process. */
  private scannedSeq = 0n;

  constructor(
    private readonly trajectories: Trajectories,
    private readonly failures: FailuresRepository,
    private readonly buckets: Buckets,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Triages the current revision of each; a trajectory that is gone is passed over. Rejects only when a store fails. */
  async triage(events: readonly Pick<TrajectoryCompleted, 'projectId' | 'trajectoryId'>[]): Promise<void> {
    for (const projectId of new Set(events.map((event) => event.projectId))) {
      const ids = [
        ...new Set(events.flatMap((event) => (event.projectId === projectId ? [event.trajectoryId] : []))),
      ];
      for (let from = 0; from < ids.length; from += TRAJECTORIES_A_ROUND) {
        await this.triageRound(projectId, ids.slice(from, from + TRAJECTORIES_A_ROUND));
      }
    }
  }

  /**
   * Finds what was stored and never triaged, as after a kill, and triages it; returns how many. `now` includes what has
   * only just been stored, for a start-up when no event is on the way.
   */
  async triagePending({ now = false } = {}): Promise<number> {
    const beforeSeq = this.clock.nowNs() - (now ? 0n : EVENT_GRACE_NS);
    let done = 0;
    for (let round = 0; round < ROUNDS_A_SCAN; round++) {
      const pending = await this.failures.pending({
        afterSeq: this.scannedSeq,
        beforeSeq,
        limit: TRAJECTORIES_A_ROUND,
      });
      await this.triage(pending);
      done += pending.length;
      if (pending.length < TRAJECTORIES_A_ROUND) break;
    }
    // The clock may have been set back, and a slow insert may land late: look back a little further than this.
    const floor = beforeSeq - 8n * EVENT_GRACE_NS;
    if (floor > this.scannedSeq) this.scannedSeq = floor;
    return done;
  }

  /** Takes failures of retracted trajectories out of the counts; returns how many trajectories. */
  retractOrphans(): Promise<number> {
    return this.failures.retractOrphans(500);
  }

  private async triageRound(projectId: string, ids: readonly string[]): Promise<void> {
    const trajectories = await this.trajectories.getMany(projectId, ids);
    if (trajectories.length === 0) return;
    const triaged = trajectories.map((trajectory) => this.triageOne(trajectory));
    await this.failures.record(triaged);
    const startedAt = new Map(trajectories.map(({ id, startedAtNs }) => [id, BigInt(startedAtNs)]));
    await this.buckets.take(
      projectId,
      triaged.flatMap(({ failures, trajectoryId, policy }) =>
        failures
          .filter(({ rootCause }) => rootCause)
          .map((failure) => ({ failure, policy, startedAtNs: startedAt.get(trajectoryId) ?? 0n })),
      ),
    );
  }

  private triageOne(trajectory: Trajectory): TriagedTrajectory {
    const { id: trajectoryId, projectId, revision, policy } = trajectory;
    const base = { projectId, trajectoryId, revision, policy, rulesVersion: RULES_VERSION };
    try {
      const { failures, brokenRules } = diagnose(trajectory);
      const note = brokenRules.map(({ rule, reason }) => `${rule}: ${reason}`).join('; ');
      if (note !== '') this.log.warn('triage.ruleBroke', { trajectoryId, note });
      return { ...base, state: 'done', note, failures };
    } catch (error) {
      this.log.error('triage.failed', { trajectoryId, error });
      return { ...base, state: 'failed', note: messageOf(error), failures: [] };
    }
  }
}
