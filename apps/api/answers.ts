/** Forms of the answers of routes that belong to no stage. */
import { z } from 'zod';
import { named, pageForm } from '#platform/web';

export const Health = named('Health', z.object({ status: z.string() }));

export const ApiDocument = named('ApiDocument', z.looseObject({ openapi: z.string() }));

const OutcomePointForm = named(
  'OutcomePoint',
  z.object({
    startMs: z.number().int(),
    /** Null where no single policy is known. */
    policy: z.string().nullable(),
    success: z.number().int(),
    failure: z.number().int(),
    unknown: z.number().int(),
  }),
);
export const OutcomePointPage = pageForm('OutcomePoint', OutcomePointForm);

const ProjectForm = named(
  'Project',
  z.object({ projectId: z.string(), trajectories: z.number().int(), agents: z.array(z.string()) }),
);
export const ProjectPage = pageForm('Project', ProjectForm);

export const TrainingEnvironment = named(
  'TrainingEnvironment',
  z.object({ state: z.string(), message: z.string() }),
);
