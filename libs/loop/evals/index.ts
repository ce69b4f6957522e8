/** Evals: cases frozen from failures, sealed suites, and measurements of policies on them. */
export { NextActionChecker } from './domain/checker.js';
export { freezeCase, type Fault, type FrozenCase, type NotFrozen } from './domain/freeze.js';
export { measureBaseline, RATE_NAMES, type Baseline, type Rate, type RateName } from './domain/rates.js';
export { PROFILE_MINIMUM, profileRewards, type RewardProfile } from './domain/reward-profile.js';
export { assertDisjoint, mergedSplit, overlapOf, splitOf } from './domain/split.js';
export type { EvalCase } from './eval-cases.repository.js';
export { EvalCases, type DraftedCases } from './eval-cases.service.js';
export type { EvalRun } from './eval-runs.repository.js';
export {
  EvalRuns,
  type EvalRunSummary,
  type Measurement,
  type ProfileMeasurement,
  type SuiteMeasurement,
} from './eval-runs.service.js';
export type { EvalSuite, SuiteKind, SuiteSpec } from './eval-suites.repository.js';
export { EvalSuites, type NewSuite, type SuiteCase } from './eval-suites.service.js';
export { EvalsModule } from './evals.module.js';
export { EvaluatorKey } from './evaluator-key.js';
export { FailureSourceModule } from './triage-failures.js';
export {
  CaseRunner,
  EnvironmentSource,
  FailureSource,
  type ArmPolicy,
  type BucketFault,
  type CaseRunRequest,
  type EnvironmentFacts,
  type RunSettings,
} from './ports.js';
