/**
 * Which fix a bucket needs: the lightest that its evidence supports. The first rule of nine that applies answers; the
 * table is total, and what a policy cannot be asked is said, not guessed.
 */

/** A test's result; or why the test does not apply to this policy, or was not made. */
export type Tested<T> = { measured: T } | { notApplicable: string };

export interface FixEvidence {
  /** Adding the missing fact to the context raises the pass rate (its interval lies above 0). */
  factHelps: Tested<boolean>;
  /** Most of the failures are the tool's: unclear schema, its own errors or limits. */
  toolAtFault: Tested<boolean>;
  /** Share of rollouts whose calls all parse and fit, 0..1. */
  validFormatRate: Tested<number>;
  /** The proposed prompt raises the pass rate (its interval lies above 0). */
  promptHelps: Tested<boolean>;
  /** A prompt or decoding candidate was tried and failed its gate. */
  promptFailedGate: boolean;
  verifierAdmitted: boolean;
  /** Chosen/rejected pairs at hand. */
  preferencePairs: number;
  demonstrations: number;
  /** Rewards over tasks × repeats; the rule needs at least 20 × 16. */
  profile: Tested<RewardEvidence>;
  /** Many turns, or tables that the calls change. */
  longOrStateful: boolean;
}

export interface RewardEvidence {
  tasks: number;
  /** Least scored repeats of a task. */
  repeats: number;
  /** Mean over tasks, 0..1. */
  meanPass: number;
  /** Mean over tasks of the chance that a group is mixed, 0..1; never the formula on the mean. */
  signal: number;
  /** Upper bound of the interval of pass@8, 0..1. */
  passAt8Upper: number;
}

export const FIXES = [
  'data_or_rag',
  'tool_change',
  'prompt_or_constrained_decoding',
  'sft_on_demonstrations',
  'dpo',
  'rlhf',
  'admit_verifier',
  'harder_tasks',
  'rlvr',
  'environment_rl',
  'sft_or_easier_tasks',
  'park_and_measure_again',
] as const;
export type Fix = (typeof FIXES)[number];

export type FixRule = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export interface FixRecommendation {
  rule: FixRule;
  fix: Fix;
  /** The evidence that decided, in figures. */
  because: string;
  /** Tests that could not be asked, with the reason; a rule that rests on one of them was passed over. */
  notApplicable: { test: string; reason: string }[];
}

export const FIX_LIMITS = {
  validFormatRate: 0.8,
  manyPairs: 1_000,
  meanPass: 0.9,
  signal: 0.3,
  passAt8Upper: 0.15,
  tasks: 20,
  repeats: 16,
} as const;

type Answer = { fix: Fix; because: string } | null;
type Measured = {
  [Key in keyof FixEvidence]: FixEvidence[Key] extends Tested<infer T> ? T | null : FixEvidence[Key];
};

/** Total and pure: each evidence gets exactly one answer. */
export function recommendFix(evidence: FixEvidence): FixRecommendation {
  const profile = trusted(evidence.profile);
  const notApplicable = missing({ ...evidence, profile });
  const known: Measured = {
    ...evidence,
    factHelps: valueOf(evidence.factHelps),
    toolAtFault: valueOf(evidence.toolAtFault),
    validFormatRate: valueOf(evidence.validFormatRate),
    promptHelps: valueOf(evidence.promptHelps),
    profile: valueOf(profile),
  };
  for (const [rule, ask] of TABLE) {
    const answer = ask(known);
    if (answer !== null) return { rule, ...answer, notApplicable };
  }
  return { rule: 9, ...lastResort(known), notApplicable };
}

const TABLE: readonly (readonly [FixRule, (known: Measured) => Answer])[] = [
  [
    1,
    ({ factHelps }) =>
      factHelps === true
        ? { fix: 'data_or_rag', because: 'the fact was not in context, and adding it helps' }
        : null,
  ],
  [
    2,
    ({ toolAtFault }) =>
      toolAtFault === true
        ? { fix: 'tool_change', because: "most failures are the tool's own errors or its unclear schema" }
        : null,
  ],
  [3, promptOrDecoding],
  [4, fromPairs],
  [5, fromDemonstrations],
  [
    6,
    ({ profile }) =>
      profile !== null && profile.meanPass > FIX_LIMITS.meanPass
        ? {
            fix: 'harder_tasks',
            because: `mean pass ${percent(profile.meanPass)} is above ${percent(FIX_LIMITS.meanPass)}`,
          }
        : null,
  ],
  [7, fromSignal],
  [
    8,
    ({ profile }) =>
      profile !== null && profile.passAt8Upper < FIX_LIMITS.passAt8Upper
        ? {
            fix: 'sft_or_easier_tasks',
            because: `pass@8 is at most ${percent(profile.passAt8Upper)}, below ${percent(FIX_LIMITS.passAt8Upper)}`,
          }
        : null,
  ],
];

function promptOrDecoding({
  validFormatRate,
  promptHelps,
  promptFailedGate,
  demonstrations,
}: Measured): Answer {
  const badFormat = validFormatRate !== null && validFormatRate < FIX_LIMITS.validFormatRate;
  if (!badFormat && promptHelps !== true) return null;
  const seen = badFormat
    ? `valid format in ${percent(validFormatRate)}, below ${percent(FIX_LIMITS.validFormatRate)}`
    : 'the proposed prompt helps';
  if (!promptFailedGate || demonstrations === 0)
    return { fix: 'prompt_or_constrained_decoding', because: seen };
  return {
    fix: 'sft_on_demonstrations',
    because: `${seen}; that candidate failed its gate, ${demonstrations} demonstrations exist`,
  };
}

function fromPairs({ verifierAdmitted, preferencePairs }: Measured): Answer {
  if (verifierAdmitted || preferencePairs <= 0) return null;
  const many = preferencePairs >= FIX_LIMITS.manyPairs;
  return {
    fix: many ? 'rlhf' : 'dpo',
    because: `no admitted verifier, ${preferencePairs} chosen/rejected pairs`,
  };
}

function fromDemonstrations({ verifierAdmitted, demonstrations }: Measured): Answer {
  if (verifierAdmitted) return null;
  if (demonstrations > 0)
    return {
      fix: 'sft_on_demonstrations',
      because: `no admitted verifier, ${demonstrations} demonstrations`,
    };
  return {
    fix: 'admit_verifier',
    because: 'no admitted verifier, no pairs and no demonstrations: write a verifier and admit it first',
  };
}

function fromSignal({ profile, longOrStateful }: Measured): Answer {
  if (profile === null || !(profile.signal >= FIX_LIMITS.signal)) return null;
  const because = `signal ${percent(profile.signal)} is at least ${percent(FIX_LIMITS.signal)} (mean pass ${percent(profile.meanPass)})`;
  return longOrStateful
    ? { fix: 'environment_rl', because: `${because}; the workflow is long or has state` }
    : { fix: 'rlvr', because };
}

function lastResort({ profile }: Measured): NonNullable<Answer> {
  if (profile === null)
    return { fix: 'park_and_measure_again', because: 'no trusted reward profile: measure first' };
  return {
    fix: 'park_and_measure_again',
    because: `signal ${percent(profile.signal)}, mean pass ${percent(profile.meanPass)}: park always-pass tasks, SFT on never-pass ones, measure again`,
  };
}

function valueOf<T>(tested: Tested<T>): T | null {
  return 'measured' in tested ? tested.measured : null;
}

/** A profile below 20 tasks × 16 repeats, or with figures that are no numbers, decides nothing. */
function trusted(profile: Tested<RewardEvidence>): Tested<RewardEvidence> {
  if (!('measured' in profile)) return profile;
  const { tasks, repeats, meanPass, signal, passAt8Upper } = profile.measured;
  if (tasks < FIX_LIMITS.tasks || repeats < FIX_LIMITS.repeats) {
    return {
      notApplicable: `measured on ${tasks} tasks × ${repeats} repeats; ${FIX_LIMITS.tasks} × ${FIX_LIMITS.repeats} are needed`,
    };
  }
  const isWhole = [meanPass, signal, passAt8Upper].every((figure) => Number.isFinite(figure));
  return isWhole ? profile : { notApplicable: 'a figure of the profile could not be computed' };
}

function missing(evidence: FixEvidence): FixRecommendation['notApplicable'] {
  const tests = ['factHelps', 'toolAtFault', 'validFormatRate', 'promptHelps', 'profile'] as const;
  return tests.flatMap((test) => {
    const tested = evidence[test];
    return 'notApplicable' in tested ? [{ test, reason: tested.notApplicable }] : [];
  });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
