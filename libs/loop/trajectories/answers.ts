/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { Failure } from '#contracts/failure';
import { Step, Trajectory } from '#contracts/trajectory';
import { named, pageForm } from '#platform/web';

export const StepPage = pageForm('Step', named('Step', Step));

export const TrajectorySummaryForm = named(
  'TrajectorySummary',
  Trajectory.omit({ steps: true, tools: true, metadata: true }).extend({
    stepCount: z.number().int(),
    messageCount: z.number().int(),
    modelCallCount: z.number().int(),
    startedAt: z.string(),
  }),
);
export const TrajectorySummaryPage = pageForm('TrajectorySummary', TrajectorySummaryForm);

export const FeedbackForm = named(
  'Feedback',
  z.object({
    id: z.string(),
    targetKind: z.enum(['trajectory', 'trace', 'session', 'step', 'response']),
    targetId: z.string(),
    /** The step within the target; null for all of it. */
    stepId: z.string().nullable(),
    name: z.string(),
    value: z.union([z.number(), z.boolean(), z.string()]),
    comment: z.string().nullable(),
    source: z.string(),
    observedAtNs: z.string(),
    authenticatedUser: z.boolean().nullable(),
  }),
);

export const TrajectoryDetailForm = named(
  'TrajectoryDetail',
  Trajectory.extend({
    messageCount: z.number().int(),
    stepCount: z.number().int(),
    triage: z.object({ state: z.enum(['pending', 'done', 'failed']) }),
    failures: z.array(named('Failure', Failure)),
    feedback: z.array(FeedbackForm),
  }),
);

export const ImportVerdictForm = named(
  'ImportVerdict',
  z.object({
    accepted: z.number().int(),
    rejected: z.array(z.object({ line: z.number().int(), error: z.string() })),
    /** The first 1,000. */
    trajectoryIds: z.array(z.string()),
  }),
);

/** `ExportTraceServiceResponse` in OTLP's JSON, whose 64-bit counts are strings. Source: OpenTelemetry Protocol 1.x. */
export const OtlpVerdict = named(
  'OtlpVerdict',
  z.object({
    partialSuccess: z.object({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
  }),
);
