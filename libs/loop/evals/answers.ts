/** Forms of this stage's HTTP answers. */
import { z } from 'zod';
import { Split } from '#contracts/environment';
import { Arm } from '#contracts/rollout';
import { named, pageForm } from '#platform/web';
import { RATE_NAMES } from './domain/rates.js';

export const EvalCaseForm = named(
  'EvalCase',
  z.object({
    id: z.string(),
    agent: z.string(),
    bucketId: z.string(),
    trajectoryId: z.string(),
    lineageKey: z.string(),
    family: z.string(),
    slice: z.string(),
    split: Split,
    status: z.enum(['draft', 'ready', 'rejected']),
    note: z.string(),
    createdAt: z.string(),
  }),
);
export const EvalCasePage = pageForm('EvalCase', EvalCaseForm);

export const DraftedCasesForm = named(
  'DraftedCases',
  z.object({
    cases: z.array(EvalCaseForm),
    skipped: z.array(z.object({ trajectoryId: z.string(), reason: z.string() })),
  }),
);

export const EvalSuiteForm = named(
  'EvalSuite',
  z.object({
    id: z.string(),
    agent: z.string(),
    kind: z.enum(['traffic', 'safety', 'buckets']),
    version: z.number().int(),
    environmentId: z.string(),
    split: Split,
    spec: z.object({
      cases: z.number().int(),
      buckets: z.array(z.object({ id: z.string(), slices: z.array(z.string()) })),
    }),
    specDigest: z.string(),
    cases: z.number().int(),
    lineageKeys: z.array(z.string()),
    readings: z.object({ used: z.number().int(), budget: z.number().int() }),
    retiredAt: z.string().nullable(),
    createdAt: z.string(),
  }),
);
export const EvalSuitePage = pageForm('EvalSuite', EvalSuiteForm);

/** A bound is null where nothing could be counted: JSON has no NaN. */
const IntervalForm = named(
  'Interval',
  z.object({
    estimate: z.number().nullable(),
    lower: z.number().nullable(),
    upper: z.number().nullable(),
  }),
);

const RateForm = named(
  'Rate',
  z.object({ value: IntervalForm.nullable(), runs: z.number().int(), groups: z.number().int() }),
);

/** The five rates of an arm, and what else its runs say. */
export const BaselineForm = named(
  'Baseline',
  z.object({
    rates: z.record(z.enum(RATE_NAMES), RateForm),
    success: RateForm,
    invalidOutput: RateForm,
    toolError: RateForm,
    masked: z.object({ runs: z.number().int(), of: z.number().int() }),
    costPerRunUsd: z.number().nullable(),
    latencyMsP50: z.number().nullable(),
    latencyMsP95: z.number().nullable(),
  }),
);

const RewardProfileForm = named(
  'RewardProfile',
  z.object({
    tasks: z.number().int(),
    repeats: z.object({ least: z.number().int(), most: z.number().int() }),
    enough: z.boolean(),
    passRate: IntervalForm,
    signal: IntervalForm.extend({ groupSize: z.number().int() }),
    passAt8: IntervalForm,
    neverPass: z.array(z.string()),
    alwaysPass: z.array(z.string()),
    masked: z.number().int(),
    completionTokensMean: z.number().nullable(),
  }),
);

export const EvalRunForm = named(
  'EvalRun',
  z.object({
    id: z.string(),
    suiteId: z.string().nullable(),
    purpose: z.enum(['baseline', 'gate', 'profile']),
    agent: z.string(),
    arms: z.record(z.string(), z.string()),
    repeats: z.number().int(),
    state: z.enum(['running', 'done', 'failed']),
    fencing: z.number().int(),
    summary: z
      .object({ byArm: z.partialRecord(Arm, BaselineForm), profile: RewardProfileForm.nullable() })
      .nullable(),
    error: z.string().nullable(),
    createdAt: z.string(),
    endedAt: z.string().nullable(),
  }),
);
export const EvalRunPage = pageForm('EvalRun', EvalRunForm);
