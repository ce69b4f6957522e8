/** The triage stage: failures of trajectories, buckets of failures, the lightest fix. */
export {
  recommendFix,
  FIX_LIMITS,
  FIXES,
  type Fix,
  type FixEvidence,
  type FixRecommendation,
} from './domain/lightest-fix.js';
export { diagnose, RULES_VERSION, type Diagnosis, type DiagnosisResult } from './domain/diagnose.js';
export { effectOf, policyFor, type ToolEffect, type ToolPolicy } from './domain/tool-policy.js';
export type { Bucket, BucketDetail } from './buckets.service.js';
export type { BucketStatus } from './buckets.repository.js';
export {
  Triage,
  type BucketQuery,
  type Failure,
  type FailureQuery,
  type SeriesPoint,
} from './triage.service.js';
export { Triager } from './triager.service.js';
export { TriageModule } from './triage.module.js';
export { TriageAnnotations } from './annotations.js';
