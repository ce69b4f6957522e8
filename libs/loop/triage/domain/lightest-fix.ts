/**
 * Which fix a bucket needs: the lightest that its evidence supports. The first rule of nine that applies answers; the
 * table is total, and what a policy cannot be asked is said, not guessed.
 */

/**
 * What is known of a policy on the bucket's tasks. A test that is null, left out or no number was not asked: it does not
 * apply to this policy or was not made, and `reasons` may say which.
 */
export interface FixEvidence {
  /** Adding the missing fact to the context raises the pass rate (its interval lies above 0). */
  factHelps?: boolean | null;
  /** Most of the failures are the tool's: unclear schema, its own errors or limits. */
  toolAtFault?: boolean | null;
  /** Share of rollouts whose calls all parse and fit, 0..1. */
  validFormatRate: number | null;
  /** The proposed prompt raises the pass rate (its interval lies above 0). */
  promptHelps?: boolean | null;
  /** A prompt or decoding candidate was tried and failed its gate. */
  promptFailedGate?: boolean;
  /** An admitted verifier, or a waiver where waivers are allowed. */
  verifierUsable: boolean;
  /** Chosen/rejected pairs at hand. */
  preferencePairs?: number;
  demonstrations?: number;
  /** The reward profile has at least 20 tasks × 16 repeats; a smaller one decides nothing. */
  profileEnough: boolean;
  /** Mean over tasks, 0..1. */
  meanPass: number | null;
  /** Mean over tasks of the chance that a group is mixed, 0..1; never the formula on the mean. */
  signal: number | null;
  /** Upper bound of the interval of pass@8, 0..1. */
  passAt8Upper: number | null;
  /** Many turns, or state that the calls change. */
  longOrStateful?: boolean;
  /** Why a test was not asked. */
  reasons?: Partial<Record<FixTest, string>>;
}

export const FIX_TESTS = [
  'factHelps',
  'toolAtFault',
  'validFormatRate',
  'promptHelps',
  'meanPass',
  'signal',
  'passAt8Upper',
] as const;
export type FixTest = (typeof FIX_TESTS)[number];

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
  /** Tests that were not asked, with the reason; a rule that rests on one of them was passed over. */
  notApplicable: { test: FixTest; reason: string }[];
}

export const FIX_LIMITS = {
  validFormatRate: 0.8,
  manyPairs: 1_000,
  meanPass: 0.9,
  signal: 0.3,
  passAt8Upper: 0.15,
} as const;

const NOT_ASKED: Readonly<Record<FixTest, string>> = {
  factHelps: 'the cases were not run again with the missing fact in context',
  toolAtFault: 'not judged whether the tool is at fault',
  validFormatRate: 'not measured',
  promptHelps: 'no prompt was proposed and run',
  meanPass: 'not measured',
  signal: 'not measured',
  passAt8Upper: 'not measured',
};
const TOO_SMALL = 'the reward profile has fewer than 20 tasks × 16 repeats';

type Answer = { fix: Fix; because: string } | null;

/** Total and pure: each evidence gets exactly one answer. */
export function recommendFix(evidence: FixEvidence): FixRecommendation {
  const known = trusted(evidence);
  const notApplicable = FIX_TESTS.filter((test) => isMissing(known[test])).map((test) => ({
    test,
    reason: reasonOf(evidence, test),
  }));
  for (const [rule, ask] of TABLE) {
    const answer = ask(known);
    if (answer !== null) return { rule, ...answer, notApplicable };
  }
  return { rule: 9, ...lastResort(known), notApplicable };
}

const TABLE: readonly (readonly [FixRule, (known: FixEvidence) => Answer])[] = [
  [1, fromMissingFact],
  [2, fromToolFault],
  [3, promptOrDecoding],
  [4, fromPairs],
  [5, fromDemonstrations],
  [6, fromEasyTasks],
  [7, fromSignal],
  [8, fromHardTasks],
];

function fromMissingFact({ factHelps }: FixEvidence): Answer {
  if (factHelps !== true) return null;
  return { fix: 'data_or_rag', because: 'the fact was not in context, and adding it helps' };
}

function fromToolFault({ toolAtFault }: FixEvidence): Answer {
  if (toolAtFault !== true) return null;
  return { fix: 'tool_change', because: "most failures are the tool's own errors, limits or unclear schema" };
}

function promptOrDecoding(known: FixEvidence): Answer {
  const { validFormatRate, promptHelps, promptFailedGate = false, demonstrations = 0 } = known;
  const badFormat = validFormatRate !== null && validFormatRate < FIX_LIMITS.validFormatRate;
  if (!badFormat && promptHelps !== true) return null;
  const seen = badFormat
    ? `valid format in ${percent(validFormatRate)}, below ${percent(FIX_LIMITS.validFormatRate)}`
    : 'the proposed prompt helps';
  if (!promptFailedGate || demonstrations <= 0)
    return { fix: 'prompt_or_constrained_decoding', because: seen };
  const because = `${seen}; that candidate failed its gate, ${demonstrations} demonstrations exist`;
  return { fix: 'sft_on_demonstrations', because };
}

function fromPairs({ verifierUsable, preferencePairs = 0 }: FixEvidence): Answer {
  if (verifierUsable || !(preferencePairs > 0)) return null;
  const fix = preferencePairs >= FIX_LIMITS.manyPairs ? 'rlhf' : 'dpo';
  return { fix, because: `no admitted verifier, ${preferencePairs} chosen/rejected pairs` };
}

function fromDemonstrations({ verifierUsable, demonstrations = 0 }: FixEvidence): Answer {
  if (verifierUsable) return null;
  if (demonstrations > 0) {
    return {
      fix: 'sft_on_demonstrations',
      because: `no admitted verifier, ${demonstrations} demonstrations`,
    };
  }
  const because = 'no admitted verifier, no pairs and no demonstrations: write a verifier and admit it first';
  return { fix: 'admit_verifier', because };
}

function fromEasyTasks({ meanPass }: FixEvidence): Answer {
  if (meanPass === null || !(meanPass > FIX_LIMITS.meanPass)) return null;
  return {
    fix: 'harder_tasks',
    because: `mean pass ${percent(meanPass)} is above ${percent(FIX_LIMITS.meanPass)}`,
  };
}

function fromSignal({ signal, meanPass, longOrStateful = false }: FixEvidence): Answer {
  if (signal === null || !(signal >= FIX_LIMITS.signal)) return null;
  const passes = meanPass === null ? '' : ` (mean pass ${percent(meanPass)})`;
  const because = `signal ${percent(signal)} is at least ${percent(FIX_LIMITS.signal)}${passes}`;
  if (!longOrStateful) return { fix: 'rlvr', because };
  return { fix: 'environment_rl', because: `${because}; the workflow is long or has state` };
}

function fromHardTasks({ passAt8Upper }: FixEvidence): Answer {
  if (passAt8Upper === null || !(passAt8Upper < FIX_LIMITS.passAt8Upper)) return null;
  const because = `pass@8 is at most ${percent(passAt8Upper)}, below ${percent(FIX_LIMITS.passAt8Upper)}`;
  return { fix: 'sft_or_easier_tasks', because };
}

function lastResort({ meanPass, signal }: FixEvidence): NonNullable<Answer> {
  const fix = 'park_and_measure_again';
  if (meanPass === null || signal === null)
    return { fix, because: 'no trusted reward profile: measure first' };
  const because = `signal ${percent(signal)}, mean pass ${percent(meanPass)}: park always-pass tasks, SFT on never-pass ones, measure again`;
  return { fix, because };
}

/** What may decide: figures that are numbers, and those of the profile only where it is large enough. */
function trusted(evidence: FixEvidence): FixEvidence {
  const { profileEnough } = evidence;
  const figure = (value: number | null): number | null =>
    value !== null && Number.isFinite(value) ? value : null;
  const ofProfile = (value: number | null): number | null => (profileEnough ? figure(value) : null);
  return {
    ...evidence,
    validFormatRate: figure(evidence.validFormatRate),
    meanPass: ofProfile(evidence.meanPass),
    signal: ofProfile(evidence.signal),
    passAt8Upper: ofProfile(evidence.passAt8Upper),
  };
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined;
}

function reasonOf({ reasons, profileEnough }: FixEvidence, test: FixTest): string {
  const isProfile = test === 'meanPass' || test === 'signal' || test === 'passAt8Upper';
  return reasons?.[test] ?? (isProfile && !profileEnough ? TOO_SMALL : NOT_ASKED[test]);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
