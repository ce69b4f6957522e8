/**
 * The plan of a run (design §7): budget, expected signal, and the smallest gain the gate could see with the evidence the
 * recipe pays for. Pure arithmetic over measured inputs; replaced by measured times once steps have run.
 */
import type { Recipe } from '#contracts/recipe';

export interface PlanInput {
  recipe: Recipe;
  /** Mean over tasks of the chance that a group of `generations` differs (design §5), null when not profiled. */
  signal: number | null;
  /** Baseline success rate on the profile. */
  baselineSuccess: number | null;
  /** Measured: mean completion tokens of a rollout. */
  completionTokensMean: number | null;
  /** Clusters the success check will have. */
  groups: number;
}

export interface TrainingPlan {
  rollouts: number;
  rolloutTokens: number | null;
  expectedSignal: number | null;
  /** Steps whose groups all agree teach nothing: share expected. */
  expectedDeadGroupShare: number | null;
  /** Smallest rise of the success rate, in points, that a paired test at α = .025 sees with power .8; null without a baseline. */
  smallestVisibleGainPoints: number | null;
  notes: string[];
}

const Z_ALPHA = 1.96;
const Z_POWER = 0.84;

/** Paired difference, conservatively as if the arms were independent: n cases × repeats, variance p(1−p) an arm. */
function smallestVisibleGain(successRate: number, runs: number): number {
  const variance = (2 * successRate * (1 - successRate)) / runs;
  return 100 * (Z_ALPHA + Z_POWER) * Math.sqrt(variance);
}

export function planTraining(input: PlanInput): TrainingPlan {
  const { recipe, signal, baselineSuccess } = input;
  const rollouts = recipe.hyper.steps * recipe.hyper.promptsPerStep * recipe.hyper.generations;
  const runs = recipe.suites.traffic * recipe.suites.repeats;
  const notes: string[] = [];
  if (signal === null) notes.push('No reward profile: the expected signal is unknown.');
  else if (signal < 0.3) notes.push('Under 30 % of the groups are expected to carry a signal.');
  return {
    rollouts,
    rolloutTokens:
      input.completionTokensMean === null ? null : Math.round(rollouts * input.completionTokensMean),
    expectedSignal: signal,
    expectedDeadGroupShare: signal === null ? null : 1 - signal,
    smallestVisibleGainPoints: baselineSuccess === null ? null : smallestVisibleGain(baselineSuccess, runs),
    notes,
  };
}
