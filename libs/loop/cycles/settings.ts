/** What the app binds for turns of the loop. */
import type { GatePolicy } from '#contracts/gate';
import type { Recipe } from '#contracts/recipe';
import type { TrainerCommand, WatchdogLimits } from '#loop/training';

/** Where this app answers on loopback, known once it listens: the trainer reaches environments there. */
export class AppAddress {
  baseUrl = '';
}

/** Turns a prepared Python into the trainer's command; a test binds a scripted trainer that speaks the same protocol. */
export abstract class TrainerProvider {
  /** Whether training may run at all, and why not. */
  abstract readonly enabled: boolean;
  /** How far the preparation is, in words for a person. */
  abstract readonly progress: { state: string; message: string };
  /** @throws AppError training.unavailable with what to do. */
  abstract prepare(say: (message: string) => void): Promise<TrainerCommand>;
}

export class CycleSettings {
  constructor(
    readonly options: {
      homeDir: string;
      threads: number;
      /** Rollouts in flight while measuring. */
      concurrency: number;
      /** By environment; others use the default policy. */
      gatePolicies: Readonly<Record<string, GatePolicy>>;
      /** By environment: the recipe of a turn that names none. */
      defaultRecipes: Readonly<Record<string, Recipe>>;
      /** Environments that ship as examples: only their recipes may waive the admission of a verifier. */
      examples: readonly string[];
      limits?: WatchdogLimits;
    },
  ) {}
}
