import type { Outcome } from './contract.js';
import type { Evaluation } from './span-facts.js';

const GOOD_LABELS = new Set(['success', 'pass', 'passed', 'true', 'correct', 'resolved']);
const BAD_LABELS = new Set(['failure', 'fail', 'failed', 'false', 'incorrect', 'unresolved']);

export const UNKNOWN_OUTCOME: Outcome = { value: 'unknown', source: 'none', confidence: 0 };

/** The application's own judgement: an evaluation named `outcome`, by score (at least 1 is success) or by label. */
export function explicitOutcome(evaluations: readonly Evaluation[]): {
  outcome: Outcome;
  reward: number | null;
} {
  const judged = evaluations.find((evaluation) => evaluation.name.toLowerCase() === 'outcome');
  const value = judged === undefined ? 'unknown' : verdictOf(judged);
  if (value === 'unknown') return { outcome: UNKNOWN_OUTCOME, reward: null };
  return { outcome: { value, source: 'explicit', confidence: 1 }, reward: judged?.score ?? null };
}

function verdictOf(evaluation: Evaluation): Outcome['value'] {
  const label = evaluation.label?.toLowerCase();
  if (label !== undefined && GOOD_LABELS.has(label)) return 'success';
  if (label !== undefined && BAD_LABELS.has(label)) return 'failure';
  if (evaluation.score === undefined) return 'unknown';
  return evaluation.score >= 1 ? 'success' : 'failure';
}
