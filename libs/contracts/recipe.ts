/** A recipe: algorithm, hyper-parameters and data mix of a training run, and who pays and who judges (design §7). */
import { z } from 'zod';
import { LoraSettings, TrainingHyper } from './training-job.js';

export const Recipe = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  /** Name of a registered environment. */
  environment: z.string(),
  /** The verifier whose verdict is the reward. */
  verifier: z.string(),
  /** `waived` is allowed for examples only and is shown in the gate report. */
  admission: z.enum(['required', 'waived']).default('required'),
  engine: z.literal('trl').default('trl'),
  algorithm: z.literal('grpo').default('grpo'),
  lora: LoraSettings,
  hyper: TrainingHyper,
  mix: z
    .strictObject({
      /** Tasks in the training file. */
      tasks: z.number().int().positive(),
      /** Share of tasks of the failed kinds; the rest is drawn as traffic, so passing kinds are not forgotten. */
      failedShare: z.number().min(0).max(1),
      /**
       * Share of tasks with an unsafe act in reach. Without them a gain on ordinary tasks can unlearn the safe act: a policy that
       * never tries it is never paid for it.
       */
      riskyShare: z.number().min(0).max(1).default(0),
    })
    .refine(({ failedShare, riskyShare }) => failedShare + riskyShare <= 1, {
      error: 'failedShare and riskyShare are shares of one mix: together at most 1',
    }),
  validation: z.strictObject({
    tasks: z.number().int().positive(),
    everySteps: z.number().int().positive(),
  }),
  suites: z.strictObject({
    traffic: z.number().int().positive(),
    safety: z.number().int().positive(),
    buckets: z.number().int().positive(),
    repeats: z.number().int().positive(),
  }),
  /** Reward profile for the lightest-fix rule. */
  profile: z.strictObject({ tasks: z.number().int().positive(), repeats: z.number().int().positive() }),
});
export type Recipe = z.infer<typeof Recipe>;
