/** Forms of this stage's HTTP answers, and of the gym's. */
import { z } from 'zod';
import { ToolDefinition } from '#contracts/chat';
import { StopReason } from '#contracts/rollout';
import { named, pageForm } from '#platform/web';

export const EnvironmentFactsForm = named(
  'EnvironmentFacts',
  z.object({
    id: z.string(),
    name: z.string(),
    version: z.string(),
    digest: z.string(),
    fidelity: z.enum(['next-action', 'replay', 'simulated', 'staging']),
    maxTurns: z.number().int(),
    tools: z.array(named('ToolDefinition', ToolDefinition)),
    verifiers: z.array(z.string()),
    defaultVerifier: z.string(),
    independentVerifier: z.string(),
    slices: z.array(z.string()),
  }),
);

export const EnvironmentVersionForm = named(
  'EnvironmentVersion',
  z.object({
    id: z.string(),
    agent: z.string(),
    facts: EnvironmentFactsForm.extend({ caseIds: z.array(z.string()) }),
    proof: z.object({
      ok: z.boolean(),
      tasks: z.number().int(),
      goldPasses: z.record(z.string(), z.number().int()),
      problems: z.array(z.string()),
    }),
    createdAt: z.string(),
  }),
);
export const EnvironmentVersionPage = pageForm('EnvironmentVersion', EnvironmentVersionForm);

/** Bounds are null where nothing was scored: JSON has no NaN. */
const Errors = z.object({
  count: z.number().int(),
  share: z.object({
    estimate: z.number().nullable(),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
  }),
  taskIds: z.array(z.string()),
});

export const VerifierAdmission = named(
  'VerifierAdmission',
  z.object({
    verifier: z.string(),
    version: z.string(),
    admitted: z.boolean(),
    passed: z.number().int(),
    failed: z.number().int(),
    falsePasses: Errors,
    falseFails: Errors,
    problems: z.array(z.string()),
  }),
);

export const GymSeeded = named('GymSeeded', z.object({ session_id: z.string(), task_id: z.string() }));
export const GymClosed = named('GymClosed', z.object({}));
export const GymObservation = named(
  'GymObservation',
  z.object({
    observation: z.null(),
    info: z.object({ task_id: z.string(), supports_explicit_close: z.boolean() }),
  }),
);
export const GymVerdict = named(
  'GymVerdict',
  z.object({
    reward: z.number(),
    mask_sample: z.boolean(),
    failure_kind: z.string().nullable(),
    failure_reason: z.string().nullable(),
    reward_components: z.record(z.string(), z.number()),
    success: z.boolean(),
    unsafe: z.boolean(),
    critical: z.boolean(),
    stop_reason: StopReason.nullable(),
  }),
);
export const GymStep = named(
  'GymStep',
  z.object({
    observation: z.null(),
    reward: z.number(),
    terminated: z.boolean(),
    truncated: z.boolean(),
    info: z.record(z.string(), z.unknown()),
  }),
);
