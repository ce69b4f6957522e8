/** Small parts that all checks share: empty checks, least evidence, numbers for people. */
import type { GateCheck, LeastEvidence, PairedCase, SuitePlan } from '#contracts/gate';
import type { ReferenceArm } from './pairs.js';

export interface SuiteEvidence {
  plan: SuitePlan;
  cases: readonly PairedCase[];
}

/** What a check is about, before anything is measured. */
export type CheckHead = Pick<GateCheck, 'id' | 'group' | 'against' | 'metric' | 'test'> & {
  alpha?: number;
  margin?: number;
};

type Finding = Partial<GateCheck> & Pick<GateCheck, 'status' | 'explanation'>;

/** Infinity and NaN have no JSON; they become null. */
const finite = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

export function check(head: CheckHead, finding: Finding): GateCheck {
  const merged = { ...head, ...finding };
  return {
    id: merged.id,
    group: merged.group,
    against: merged.against,
    metric: merged.metric,
    test: merged.test,
    baseline: finite(merged.baseline),
    candidate: finite(merged.candidate),
    difference: finite(merged.difference),
    lower: finite(merged.lower),
    upper: finite(merged.upper),
    margin: finite(merged.margin),
    alpha: finite(merged.alpha),
    cases: merged.cases ?? 0,
    groups: merged.groups ?? 0,
    runs: merged.runs ?? 0,
    status: merged.status,
    ...(merged.needs === undefined ? {} : { needs: merged.needs }),
    explanation: merged.explanation,
  };
}

export const againstOf = (arm: ReferenceArm): 'production' | 'anchor' =>
  arm === 'baseline' ? 'production' : 'anchor';

/** Check id; those against the anchor carry it as a suffix. */
export const idOf = (name: string, arm: ReferenceArm): string =>
  arm === 'baseline' ? name : `${name}@anchor`;

/** Text of what is lacking, or null when one of the alternatives is met. */
export function lackingEvidence(has: LeastEvidence, alternatives: readonly LeastEvidence[]): string | null {
  const enough = (least: LeastEvidence): boolean =>
    has.cases >= least.cases && has.groups >= least.groups && has.runs >= least.runs;
  if (alternatives.some(enough)) return null;
  const options = alternatives.map(
    (least) => `${least.cases} cases in ${least.groups} groups × ${least.runs} runs`,
  );
  return `at least ${options.join(', or ')}; there are ${has.cases} in ${has.groups} × ${has.runs}`;
}

/**
 * How many times as much evidence would settle it, if the difference seen is the true one; null where more would not help.
 * Widths fall with the square root of the size.
 */
export function timesMoreEvidence(seen: number, bound: number, limit: number): string | null {
  const room = limit - seen;
  const width = bound - seen;
  if (!(room > 0) || !Number.isFinite(width)) return null;
  return `about ${((width / room) ** 2).toFixed(1)} times as many cases, if the true difference is the one seen`;
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

export const points = (share: number): string =>
  `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)} points`;
