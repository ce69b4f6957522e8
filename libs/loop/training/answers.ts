/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { Recipe } from '#contracts/recipe';
import { TrainerEvent } from '#contracts/training-job';
import { named, pageForm } from '#platform/web';

const Plan = z.object({
  rollouts: z.number(),
  rolloutTokens: z.number().nullable(),
  expectedSignal: z.number().nullable(),
  expectedDeadGroupShare: z.number().nullable(),
  smallestVisibleGainPoints: z.number().nullable(),
  notes: z.array(z.string()),
});

export const TrainingRunForm = named(
  'TrainingRun',
  z.object({
    id: z.string(),
    projectId: z.string(),
    cycleId: z.string().nullable(),
    agent: z.string(),
    recipe: named('Recipe', Recipe),
    seed: z.number(),
    state: z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    attempt: z.number().int(),
    fencing: z.number().int(),
    plan: named('TrainingPlan', Plan).nullable(),
    manifest: z.array(z.string()),
    result: z
      .object({
        adapterDir: z.string(),
        chosenStep: z.number().int(),
        deltaNorm: z.number(),
        trainSeconds: z.number(),
      })
      .nullable(),
    error: z.object({ kind: z.string(), reason: z.string() }).nullable(),
    createdAt: z.string(),
    endedAt: z.string().nullable(),
  }),
);
export const TrainingRunPage = pageForm('TrainingRun', TrainingRunForm);
export const TrainerEventPage = pageForm('TrainerEvent', named('TrainerEvent', TrainerEvent));
