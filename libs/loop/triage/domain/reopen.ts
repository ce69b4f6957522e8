/** Whether a failure brings a fixed bucket back. */

export interface BucketFix {
  /** When the bucket became `fixed`, ns since the epoch. */
  fixedAtNs: bigint;
  /** Policies whose failures the bucket already held then: they are what was fixed. */
  policiesBefore: readonly string[];
}

export interface ReturningFailure {
  /** Policy that served the trajectory; null where unknown. */
  policy: string | null;
  startedAtNs: bigint;
  rootCause: boolean;
}

/**
 * Only a run that began after the fix and was not served by a policy from before it: late arrivals of the old policy,
 * or a canary's baseline arm, are no return. An unknown policy is judged by time alone.
 */
export function reopens(fix: BucketFix, failure: ReturningFailure): boolean {
  if (!failure.rootCause || failure.startedAtNs < fix.fixedAtNs) return false;
  return failure.policy === null || !fix.policiesBefore.includes(failure.policy);
}
