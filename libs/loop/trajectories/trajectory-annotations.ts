import type { Failure, FailureCategory } from '#contracts/failure';

/** What a later stage found in trajectories. Triage implements it, the app binds it: this stage knows nothing of triage. */
export abstract class TrajectoryAnnotations {
  abstract of(
    projectId: string,
    trajectoryId: string,
  ): Promise<{ state: 'pending' | 'done' | 'failed'; failures: Failure[] }>;

  /** Trajectories with a failure of this category and in this bucket, where given. */
  abstract idsWith(
    projectId: string,
    filter: { category?: FailureCategory | undefined; bucketId?: string | undefined },
  ): Promise<string[]>;
}
