import type { TrajectoryCompleted } from '#contracts/trajectory';

/** Tells later stages that trajectories are stored and complete. At least once: a receiver's work is keyed by id and revision. */
export abstract class CompletedFeed {
  /** Resolves when the events are handed over; rejects when they are not, and the caller tells them again. */
  abstract publish(events: readonly TrajectoryCompleted[]): Promise<void>;
}
