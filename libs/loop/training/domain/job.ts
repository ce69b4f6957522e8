/** Renders the one job spec (contracts/training-job) from a recipe and where things are. Pure. */
import type { EnvironmentTask } from '#contracts/environment';
import type { Recipe } from '#contracts/recipe';
import type { TrainingJob } from '#contracts/training-job';
import { seededRng } from '#kernel/random';

export interface JobPlaces {
  runId: string;
  attempt: number;
  fencing: number;
  base: { path: string; revision: string };
  environment: { baseUrl: string; token: string; toolsJson: string; maxTurns: number };
  trainPath: string;
  validationPath: string;
  outputDir: string;
  servingTemperature: number;
  threads: number;
  seed: number;
}

export function renderJob(recipe: Recipe, places: JobPlaces): TrainingJob {
  return {
    schemaVersion: 1,
    runId: places.runId,
    attempt: places.attempt,
    fencing: places.fencing,
    engine: recipe.engine,
    algorithm: recipe.algorithm,
    base: places.base,
    lora: recipe.lora,
    environment: {
      baseUrl: places.environment.baseUrl,
      token: places.environment.token,
      verifier: recipe.verifier,
      toolsJson: places.environment.toolsJson,
    },
    data: { trainPath: places.trainPath, validationPath: places.validationPath },
    validation: {
      everySteps: recipe.validation.everySteps,
      temperature: places.servingTemperature,
      maxTurns: places.environment.maxTurns,
    },
    hyper: recipe.hyper,
    seed: places.seed,
    threads: places.threads,
    outputDir: places.outputDir,
  };
}

/** A task as the trainer may see it: the prompt and its lineage, never the state or the expected calls. */
export function trainerRow(task: EnvironmentTask): Record<string, unknown> {
  return {
    id: task.id,
    messages: task.messages,
    lineageKey: task.lineageKey,
    family: task.family,
    slice: task.slice,
  };
}

/**
 * The data mix: tasks of the failed kinds, risky ones, and traffic draws (which hold passing kinds too, against forgetting),
 * shuffled. Tasks of one text and id are kept once: an engine that groups by prompt must not merge two states (engines §9).
 */
export function mixTasks(
  parts: Record<'failed' | 'risky' | 'traffic', EnvironmentTask[]>,
  mix: Recipe['mix'],
  seed: number,
): EnvironmentTask[] {
  const failed = Math.round(mix.tasks * mix.failedShare);
  const risky = Math.round(mix.tasks * mix.riskyShare);
  const chosen = [
    ...parts.failed.slice(0, failed),
    ...parts.risky.slice(0, risky),
    ...parts.traffic.slice(0, mix.tasks - failed - risky),
  ];
  const unique = [...new Map(chosen.map((task) => [task.id, task])).values()];
  return seededRng(seed).shuffle(unique);
}
