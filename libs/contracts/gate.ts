/**
 * What the gate reads and what it says (design §8): policy, evidence, checks, report.
 * Rates are shares in 0..1, margins too (0.05 is five points); money is US dollars; times are milliseconds.
 */
import { z } from 'zod';

const Share = z.number().min(0).max(1);
const Alpha = z.number().gt(0).lt(0.5);
const Count = z.number().int().min(0);

/** Evidence below which a check blocks. A list of them means: any one of these will do. */
export const LeastEvidence = z.strictObject({
  cases: Count,
  /** Lineage groups: the clusters of every interval. */
  groups: Count,
  /** Runs of each case and arm. */
  runs: Count,
});
export type LeastEvidence = z.infer<typeof LeastEvidence>;

/** How a rate of the candidate is compared with the same rate of the reference, paired by case. */
export const RateRule = z.strictObject({
  /** Most harm that passes, as a share; 0 means: must be proven better. */
  margin: Share,
  /** One-sided error of the test of single pairs (exact McNemar at margin 0, Tango's score interval). */
  alpha: Alpha,
  /** One-sided error of the cluster-robust t interval, which must pass too. */
  clusterAlpha: Alpha,
  least: z.array(LeastEvidence).min(1),
});
export type RateRule = z.infer<typeof RateRule>;

export const GatePolicy = z.strictObject({
  /** On the traffic suite. */
  success: RateRule,
  /** On the held-out cases of the buckets. */
  buckets: RateRule,
  /** On the risky-only safety suite. */
  unsafe: RateRule,
  /** On the traffic suite. */
  invalidOutput: RateRule,
  toolError: RateRule,
  /** On the general suite; null: not judged. */
  general: RateRule.nullable(),
  /** Runs that the paid verifier passes and the independent one fails, on the traffic suite. */
  independent: RateRule,
  /** p95 of one model call, candidate ÷ reference; null: not judged. */
  latencyP95: z.strictObject({ maxRatio: z.number().positive(), alpha: Alpha, leastCalls: Count }).nullable(),
  /** Cost of one successful task, candidate ÷ reference; null: not judged. */
  costPerSuccess: z
    .strictObject({ maxRatio: z.number().positive(), alpha: Alpha, least: z.array(LeastEvidence).min(1) })
    .nullable(),
  /** Every family, tool and bucket: fails on proof of harm, Holm over all of them. */
  slices: z.strictObject({
    alpha: Alpha,
    least: z.strictObject({ cases: Count, runs: Count }),
    /** Slice ids, e.g. `family:cancel_event` or `family:cancel_event/safe-act`, that block when evidence lacks. */
    required: z.array(z.string()),
  }),
  /** Largest share of planned runs without a measurement, per suite and arm; each one is counted worst-case. */
  masks: z.strictObject({ maxShare: Share }),
  readings: z.strictObject({
    /**
     * `none`: the same error at every reading of a held-out version. `decreasing`: the k-th reading of the version has
     * 2α ÷ k(k+1), so the first has α and all of them together less than 2α.
     */
    alphaSpending: z.enum(['none', 'decreasing']),
  }),
  bootstrap: z.strictObject({ draws: z.number().int().min(50).max(20_000), seed: Count }),
});
export type GatePolicy = z.infer<typeof GatePolicy>;

/** One run of one case by one arm. The verdicts are null where the run was not scored. */
export const CaseRun = z.object({
  state: z.enum(['scored', 'masked', 'failed']),
  success: z.boolean().nullable(),
  reward: z.number().nullable(),
  unsafe: z.boolean().nullable(),
  /** A confirmed critical unsafe act. */
  critical: z.boolean().nullable(),
  invalidOutput: z.boolean().nullable(),
  toolError: z.boolean().nullable(),
  /** Known for every run, scored or not (0 when nothing was generated); null only where the price is unknown. */
  costUsd: z.number().min(0).nullable(),
  promptTokens: Count,
  completionTokens: Count,
  independentPass: z.boolean().nullable(),
  paidPass: z.boolean().nullable(),
});
export type CaseRun = z.infer<typeof CaseRun>;

/** One case, run by both arms (and by the anchor, where it is another agent than the baseline). */
export const PairedCase = z.object({
  caseId: z.string(),
  lineageKey: z.string(),
  family: z.string(),
  slice: z.string(),
  /** The right act is the safe one: ask, refuse, ignore an injected instruction. */
  safetySlice: z.boolean(),
  bucketIds: z.array(z.string()),
  tools: z.array(z.string()),
  runs: z.object({
    baseline: z.array(CaseRun),
    candidate: z.array(CaseRun),
    anchor: z.array(CaseRun).optional(),
  }),
});
export type PairedCase = z.infer<typeof PairedCase>;

/** What was to be measured, fixed before the first run, so that nothing can drop out unseen. */
export const SuitePlan = z.object({ caseIds: z.array(z.string()), runs: z.number().int().min(1) });
export type SuitePlan = z.infer<typeof SuitePlan>;

export const SUITE_NAMES = ['traffic', 'safety', 'buckets', 'general'] as const;
export type SuiteName = (typeof SUITE_NAMES)[number];

const suitesOf = <T extends z.ZodType>(each: T) =>
  z.object({ traffic: each, safety: each, buckets: each, general: each.optional() });

const GateEvidenceShape = z.object({
  /** `AgentRef` digests as measured. Anchor: the best agent ever promoted; the production one where none was. */
  agents: z.object({ baseline: z.string(), candidate: z.string(), anchor: z.string() }),
  /** `AgentRef` digest of the candidate as it will be served; any other than the measured one is stale. */
  servedCandidateDigest: z.string(),
  plan: suitesOf(SuitePlan),
  suites: suitesOf(z.array(PairedCase)),
  /** Every model call of the traffic suite, in ms. The counts come from the harness, apart from the samples. */
  latency: z.object({
    baselineMs: z.array(z.number().min(0)),
    candidateMs: z.array(z.number().min(0)),
    anchorMs: z.array(z.number().min(0)).optional(),
    calls: z.object({ baseline: Count, candidate: Count, anchor: Count.optional() }),
    /** The arms took turns on one server. */
    interleaved: z.boolean(),
  }),
  /** Lineage keys of the training manifest and of held-out data, with the counts stored beside them. */
  seal: z.object({
    manifestKeys: z.array(z.string()),
    heldoutKeys: z.array(z.string()),
    manifestCount: Count,
    heldoutCount: Count,
  }),
  /** `used`: verdicts read from this held-out version before this one. */
  readings: z.object({ suiteVersion: z.string(), used: Count, budget: Count }),
  verifierAdmission: z.enum(['admitted', 'waived', 'missing']),
  adapterAdmission: z.object({
    ok: z.boolean(),
    problems: z.array(z.string()),
    deltaNorm: z.number().nullable(),
  }),
  measuredAt: z.string(),
});

/** Cases are unique and planned, and no case has more runs than planned. Fewer is legal, and counted against it. */
export const GateEvidence = GateEvidenceShape.superRefine((evidence, context) => {
  for (const name of SUITE_NAMES) {
    const plan = evidence.plan[name];
    const planned = new Set(plan?.caseIds);
    const seen = new Set<string>();
    if (plan && planned.size !== plan.caseIds.length) {
      context.addIssue({ code: 'custom', path: ['plan', name], message: 'a case is planned twice' });
    }
    for (const { caseId, runs } of evidence.suites[name] ?? []) {
      const path = ['suites', name, caseId];
      const most = Math.max(runs.baseline.length, runs.candidate.length, runs.anchor?.length ?? 0);
      if (!planned.has(caseId))
        context.addIssue({ code: 'custom', path, message: 'the case was not planned' });
      if (seen.has(caseId)) context.addIssue({ code: 'custom', path, message: 'the case occurs twice' });
      if (most > (plan?.runs ?? 0))
        context.addIssue({ code: 'custom', path, message: 'more runs than planned' });
      seen.add(caseId);
    }
  }
});
export type GateEvidence = z.infer<typeof GateEvidence>;

export const CHECK_GROUPS = [
  'quality',
  'safety',
  'format',
  'general',
  'latency',
  'cost',
  'independent',
  'evidence',
  'integrity',
] as const;
export const CheckGroup = z.enum(CHECK_GROUPS);
export type CheckGroup = z.infer<typeof CheckGroup>;

/**
 * `fail`: measured and not good enough. `insufficient`: too little was measured. `missing`: nothing to judge by.
 * These three block. `skipped`: not judged, by the policy or because a slice is too small.
 */
export const CheckStatus = z.enum(['pass', 'fail', 'insufficient', 'missing', 'skipped']);
export type CheckStatus = z.infer<typeof CheckStatus>;

export const GateCheck = z.object({
  id: z.string(),
  group: CheckGroup,
  against: z.enum(['production', 'anchor', 'none']),
  metric: z.string(),
  test: z.string(),
  /** Values of both arms, with unmeasured runs counted against the candidate. Null: none, or unbounded. */
  baseline: z.number().nullable(),
  candidate: z.number().nullable(),
  /** candidate − baseline; for latency and cost the ratio candidate ÷ baseline. */
  difference: z.number().nullable(),
  lower: z.number().nullable(),
  upper: z.number().nullable(),
  /** What the bound is held against, in the direction of the metric. */
  margin: z.number().nullable(),
  alpha: z.number().nullable(),
  cases: Count,
  groups: Count,
  runs: Count,
  status: CheckStatus,
  /** How much more evidence is needed. */
  needs: z.string().optional(),
  explanation: z.string(),
});
export type GateCheck = z.infer<typeof GateCheck>;

export const PolicyDeviation = z.object({ path: z.string(), default: z.unknown(), used: z.unknown() });
export type PolicyDeviation = z.infer<typeof PolicyDeviation>;

export const GateReport = z
  .object({
    verdict: z.enum(['promote', 'block']),
    checks: z.array(GateCheck),
    /** Ids of the checks that block; empty exactly when the verdict is `promote`. */
    blockedBy: z.array(z.string()),
    deviations: z.array(PolicyDeviation),
    notes: z.array(z.string()),
    policyDigest: z.string(),
    evidenceDigest: z.string(),
  })
  .refine(
    (report) => (report.verdict === 'block') === report.blockedBy.length > 0,
    'a block names its checks',
  );
export type GateReport = z.infer<typeof GateReport>;
