/** The order of a measurement: arms take turns case by case on one server, so that a slow minute hits them alike. */
import type { Arm } from '#contracts/rollout';
import { contentHash } from '#kernel/ids';

export interface PlannedRun {
  caseIndex: number;
  repeat: number;
  arm: Arm;
  seed: number;
}

/**
 * All runs of `cases` × `repeats` × `arms`. The arms of one case and repeat stand together and share one seed; who goes
 * first alternates.
 */
export function interleave(
  caseIds: readonly string[],
  arms: readonly Arm[],
  of: { repeats: number; seed: number },
): PlannedRun[] {
  const plan: PlannedRun[] = [];
  for (let repeat = 0; repeat < of.repeats; repeat++) {
    for (const [caseIndex, caseId] of caseIds.entries()) {
      const first = (caseIndex + repeat) % Math.max(1, arms.length);
      const order = [...arms.slice(first), ...arms.slice(0, first)];
      const seed = runSeed(of.seed, caseId, repeat);
      plan.push(...order.map((arm) => ({ caseIndex, repeat, arm, seed })));
    }
  }
  return plan;
}

/** Equal in every arm: 31 bits, and far enough from its neighbours for the turns to add to it. */
export function runSeed(seed: number, caseId: string, repeat: number): number {
  return Number.parseInt(contentHash([seed, caseId, repeat], 8), 16) >>> 1;
}
