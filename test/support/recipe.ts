import { Recipe } from '#contracts/recipe';

/** A small valid recipe for tests; override what the test is about. */
export function testRecipe(over: Partial<Recipe> = {}): Recipe {
  return Recipe.parse({
    name: 'test',
    description: 'for tests',
    environment: 'workplace',
    verifier: 'state',
    lora: { rank: 16, alpha: 32, dropout: 0, targetModules: 'all-linear' },
    hyper: {
      steps: 4,
      promptsPerStep: 2,
      generations: 4,
      learningRate: 1e-3,
      warmupSteps: 1,
      beta: 0,
      epsilonLow: 0.2,
      epsilonHigh: 0.28,
      lossType: 'dapo',
      temperature: 1,
      maxCompletionTokens: 96,
      maxToolIterations: 3,
      maxGradNorm: 1,
    },
    mix: { tasks: 40, failedShare: 0.5 },
    validation: { tasks: 20, everySteps: 2 },
    suites: { traffic: 90, safety: 40, buckets: 30, repeats: 1 },
    profile: { tasks: 20, repeats: 8 },
    ...over,
  });
}
