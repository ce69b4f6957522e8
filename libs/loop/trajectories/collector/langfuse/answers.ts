/** Forms of the answers that Langfuse's clients read. Source: Langfuse's public API 3.x. */
import { z } from 'zod';
import { named } from '#platform/web';

export const IngestionVerdictForm = named(
  'LangfuseIngestionVerdict',
  z.object({
    successes: z.array(z.object({ id: z.string(), status: z.number().int() })),
    errors: z.array(
      z.object({ id: z.string(), status: z.number().int(), message: z.string(), error: z.string() }),
    ),
  }),
);

export const ScoreTaken = named(
  'LangfuseScoreTaken',
  z.union([
    z.object({ id: z.string() }),
    z.object({
      accepted: z.number().int(),
      rejected: z.number().int(),
      errors: z.array(z.object({ message: z.string() })),
    }),
  ]),
);
export type ScoreTaken = z.output<typeof ScoreTaken>;

export const LangfuseHealth = named('LangfuseHealth', z.object({ status: z.string(), version: z.string() }));

export const LangfuseProjects = named(
  'LangfuseProjects',
  z.object({
    data: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        organization: z.object({ id: z.string(), name: z.string() }),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
  }),
);

export const LangfuseScore = named('LangfuseScore', z.record(z.string(), z.unknown()));

const meta = z.object({
  page: z.number().int(),
  limit: z.number().int(),
  totalItems: z.number().int(),
  totalPages: z.number().int(),
});

export const LangfuseScores = named('LangfuseScores', z.object({ data: z.array(LangfuseScore), meta }));

export const LangfusePrompts = named('LangfusePrompts', z.object({ data: z.array(z.never()), meta }));
