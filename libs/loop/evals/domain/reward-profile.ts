/** Reward profile: how often a policy passes each task in repeats; evidence for the lightest fix (design §5, rows 6–9). */
import type { Rollout } from '#contracts/rollout';
import { taskBootstrapInterval } from '#kernel/statistics/bootstrap';
import type { Interval } from '#kernel/statistics/proportions';
import { groupSignal, passAtK } from '#kernel/statistics/repeats';

/** What the rule asks for before it trusts a profile. */
export const PROFILE_MINIMUM = { tasks: 20, repeats: 16 } as const;
const PASS_AT = 8;
const BOOTSTRAP = { alpha: 0.025, draws: 2000, seed: 1 } as const;

export interface RewardProfile {
  tasks: number;
  /** Least and most scored repeats of a task. */
  repeats: { least: number; most: number };
  /** Whether tasks and repeats reach the minimum of the rule. */
  enough: boolean;
  /** Means over tasks, each with its 95 % interval from resampled tasks. NaN bounds where no task applies. */
  passRate: Interval;
  /** Chance that a group of `groupSize` repeats is mixed. */
  signal: Interval & { groupSize: number };
  passAt8: Interval;
  /** Nothing to learn from: parked. */
  neverPass: string[];
  alwaysPass: string[];
  masked: number;
  completionTokensMean: number | null;
}

/** @param groupSize repeats that a group-relative method compares, e.g. 8. */
export function profileRewards(rollouts: readonly Rollout[], groupSize: number): RewardProfile {
  const byTask = new Map<string, { n: number; passes: number }>();
  for (const { caseId, paid } of rollouts) {
    if (paid?.state !== 'scored') continue;
    const task = byTask.get(caseId) ?? { n: 0, passes: 0 };
    byTask.set(caseId, { n: task.n + 1, passes: task.passes + Number(paid.success) });
  }
  const tasks = [...byTask.entries()];
  const meanOver = (figure: (n: number, passes: number) => number): Interval =>
    taskBootstrapInterval(
      tasks.map(([, { n, passes }]) => figure(n, passes)).filter((value) => !Number.isNaN(value)),
      BOOTSTRAP,
    );
  const counts = tasks.map(([, { n }]) => n);
  const repeats = { least: counts.length > 0 ? Math.min(...counts) : 0, most: Math.max(0, ...counts) };
  const scored = rollouts.filter((rollout) => rollout.state === 'scored');
  return {
    tasks: tasks.length,
    repeats,
    enough: tasks.length >= PROFILE_MINIMUM.tasks && repeats.least >= PROFILE_MINIMUM.repeats,
    passRate: meanOver((n, passes) => passes / n),
    signal: { ...meanOver((n, passes) => groupSignal(n, passes, groupSize)), groupSize },
    passAt8: meanOver((n, passes) => passAtK(n, passes, PASS_AT)),
    neverPass: tasks.filter(([, { passes }]) => passes === 0).map(([id]) => id),
    alwaysPass: tasks.filter(([, { n, passes }]) => passes === n).map(([id]) => id),
    masked: rollouts.length - scored.length,
    completionTokensMean:
      scored.length > 0 ? scored.reduce((sum, r) => sum + r.completionTokens, 0) / scored.length : null,
  };
}
