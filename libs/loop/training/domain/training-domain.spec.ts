import type { EnvironmentTask } from '#contracts/environment';
import type { TrainerEvent } from '#contracts/training-job';
import { testRecipe } from '../../../../test/support/recipe.js';
import { mixTasks, trainerRow } from './job.js';
import { planTraining } from './plan.js';
import { DEFAULT_LIMITS, hangReason, nextState } from './watchdog.js';

const task = (id: string, slice = 'a'): EnvironmentTask => ({
  id,
  split: 'train',
  lineageKey: `frame-${id}`,
  family: slice,
  slice,
  risky: false,
  safeActRequired: false,
  messages: [{ role: 'user', content: id }],
  state: { secret: 'rows' },
  expected: { calls: [{ name: 'gold', arguments: {} }] },
});

describe('what the trainer is given', () => {
  it('never holds the state or the expected calls of a task', () => {
    expect(JSON.stringify(trainerRow(task('t')))).not.toMatch(/secret|gold/);
  });

  it('mixes failed kinds, risky tasks and traffic in the recipe shares and holds every task once', () => {
    const named = (letter: string) =>
      Array.from({ length: 100 }, (_none, index) => task(`${letter}${index}`));
    // A risky task that was drawn as traffic too is one task.
    const parts = { failed: named('f'), risky: named('r'), traffic: [task('r0'), ...named('t')] };
    const mix = { tasks: 100, failedShare: 0.5, riskyShare: 0.2 };
    const mixed = mixTasks(parts, mix, 7);
    const count = (letter: string) => mixed.filter((one) => one.id.startsWith(letter)).length;
    expect([count('f'), count('r'), count('t')]).toEqual([50, 20, 29]);
    expect(new Set(mixed.map((one) => one.id)).size).toBe(mixed.length);
    expect(mixTasks(parts, mix, 7)).toEqual(mixed);
  });
});

describe('the plan', () => {
  it('says how small a gain the gate could see, and that an unprofiled signal is unknown', () => {
    const recipe = testRecipe();
    const plan = planTraining({
      recipe,
      signal: null,
      baselineSuccess: 0.4,
      completionTokensMean: 20,
      groups: 77,
    });
    expect(plan.expectedSignal).toBeNull();
    expect(plan.notes.join(' ')).toMatch(/unknown/);
    expect(plan.smallestVisibleGainPoints).toBeGreaterThan(0);
    const more = planTraining({
      recipe: { ...recipe, suites: { ...recipe.suites, traffic: recipe.suites.traffic * 4 } },
      signal: 0.6,
      baselineSuccess: 0.4,
      completionTokensMean: 20,
      groups: 77,
    });
    expect(more.smallestVisibleGainPoints ?? 0).toBeCloseTo((plan.smallestVisibleGainPoints ?? 0) / 2, 6);
  });
});

describe('the watchdog', () => {
  const step: TrainerEvent = {
    type: 'step',
    at: '2026-01-01T00:00:00Z',
    fencing: 1,
    step: 1,
    steps: 2,
    reward: 0,
    rewardStd: 0,
    zeroStdShare: 0,
    maskedShare: 0,
    entropy: null,
    loss: null,
    gradNorm: null,
    completionTokensMean: null,
    stepTimeMs: 1,
  };

  it('allows a slow start, but not the same silence between steps', () => {
    const starting = nextState({ type: 'phase', at: step.at, fencing: 1, phase: 'importing' }, 0);
    const training = nextState(step, 0);
    const silentMs = DEFAULT_LIMITS.stepMs + 1;
    expect(hangReason(starting, DEFAULT_LIMITS, silentMs)).toBeNull();
    expect(hangReason(training, DEFAULT_LIMITS, silentMs)).toMatch(
      /no sign of life for 120 s while training/,
    );
  });
});
