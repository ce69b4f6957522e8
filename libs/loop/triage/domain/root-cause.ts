/** One root cause a failed run: the earliest among the findings that explain most. */
import { FAILURE_CATEGORIES } from '#contracts/failure';
import { CAUSES, type Finding } from './finding.js';

/** Findings that make a run count as failed where nobody said how it ended. */
const DECISIVE_CONFIDENCE = 0.5;

export function isFailed(outcome: 'success' | 'failure' | 'unknown', findings: readonly Finding[]): boolean {
  if (outcome === 'failure' || findings.some(({ cause }) => cause === 'unsafe')) return true;
  if (outcome === 'success') return false;
  return findings.some(
    ({ cause, confidence }) => (cause === 'fault' || cause === 'stall') && confidence >= DECISIVE_CONFIDENCE,
  );
}

/** Whether something known explains the failure; a fault made good later does not. */
export function isExplained(findings: readonly Finding[]): boolean {
  return findings.some(({ cause }) => cause !== 'recovered' && cause !== 'unexplained');
}

/**
 * Order by how far a finding explains the failure: kind of cause, then step, then confidence, then the fixed order of
 * categories. Total and independent of the order of the rules.
 */
export function compareCauses(a: Finding, b: Finding): number {
  return (
    CAUSES.indexOf(a.cause) - CAUSES.indexOf(b.cause) ||
    a.step.index - b.step.index ||
    b.confidence - a.confidence ||
    FAILURE_CATEGORIES.indexOf(a.category) - FAILURE_CATEGORIES.indexOf(b.category) ||
    compareText(a.detail ?? '', b.detail ?? '') ||
    compareText(a.evidence, b.evidence)
  );
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
