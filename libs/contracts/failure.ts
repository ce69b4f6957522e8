/** Failures and buckets (design §5): fixed category names, one root cause a trajectory. */
import { z } from 'zod';

export const FAILURE_CATEGORIES = [
  'invalid_output',
  'unknown_tool',
  'wrong_tool',
  'wrong_arguments',
  'execution_error',
  'timeout',
  'loop',
  'step_limit',
  'gave_up',
  'empty_answer',
  'truncated',
  'misread_observation',
  'plan_misaligned',
  'instruction_violation',
  'invented_information',
  'underspecified_intent',
  'unsupported_intent',
  'guardrail_triggered',
  'wrong_answer',
  'unsafe_action',
  'latency',
  'cost',
  'human_takeover',
  'negative_feedback',
] as const;
export const FailureCategory = z.enum(FAILURE_CATEGORIES);
export type FailureCategory = z.infer<typeof FailureCategory>;

export const Severity = z.enum(['low', 'medium', 'high', 'critical']);

export const Failure = z.object({
  /** Hash of (trajectory, step, category, detector name). */
  id: z.string(),
  projectId: z.string(),
  trajectoryId: z.string(),
  agent: z.string(),
  category: FailureCategory,
  detail: z.string().optional(),
  stepId: z.string(),
  stepIndex: z.number().int(),
  severity: Severity,
  /** 0..1 */
  confidence: z.number(),
  detector: z.object({ name: z.string(), version: z.string() }),
  /** Short, plain: what was seen. Hostile text stays text. */
  evidence: z.string(),
  rootCause: z.boolean(),
  /** Immutable; cluster → bucket is a versioned map. */
  clusterId: z.string(),
  bucketId: z.string().nullable(),
  observedAtNs: z.string(),
});
export type Failure = z.infer<typeof Failure>;

export const BucketStatus = z.enum(['open', 'fixing', 'fixed', 'ignored']);
export const Bucket = z.object({
  id: z.string(),
  projectId: z.string(),
  agent: z.string(),
  name: z.string(),
  category: FailureCategory,
  detail: z.string().nullable(),
  status: BucketStatus,
  severity: Severity,
  owner: z.string().nullable(),
  failures: z.number().int(),
  trajectories: z.number().int(),
  firstSeenAt: z.string(),
  lastSeenAt: z.string(),
  exampleTrajectoryIds: z.array(z.string()),
});
export type Bucket = z.infer<typeof Bucket>;
