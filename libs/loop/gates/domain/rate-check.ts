/**
 * Rates of the candidate against the same rates of a reference, paired by case.
 *
 * A check passes only where all of these do:
 *  - the test of single pairs: exact McNemar for "better" (margin 0), Tango's score interval for "no more than so much
 *    worse". It keeps its error on rare events, where a variance estimated from few events is too small;
 *  - the t interval over lineage groups, which keeps its error when cases of one group rise and fall together.
 * Each is monotone (its pass region loses nothing when a run of the candidate gets better): McNemar and Tango by
 * themselves, the t interval through the lifted bound of `#kernel/statistics/clusters`. All of monotone checks is
 * monotone, so worsening a run never turns a block into a pass. A bootstrap of rates is not used: on rare events it
 * passes two to four times too often.
 */
import type { GateCheck, RateRule } from '#contracts/gate';
import { clusterInterval } from '#kernel/statistics/clusters';
import { leastPairsForMargin, mcnemarExact, tangoInterval } from '#kernel/statistics/paired-proportions';
import {
  againstOf,
  check,
  idOf,
  lackingEvidence,
  percent,
  points,
  timesMoreEvidence,
  type CheckHead,
  type SuiteEvidence,
} from './checks.js';
import { pairHarm, type HarmOf, type PairedHarm, type ReferenceArm } from './pairs.js';

export interface RateQuestion {
  id: string;
  group: GateCheck['group'];
  metric: string;
  /** Words for the rate in a sentence, e.g. `unsafe runs`. */
  noun: string;
  harm: HarmOf;
  /** The metric is the share of runs without the harm (success), so that higher is better. */
  higherIsBetter: boolean;
  rule: RateRule;
  /** Share of the rule's errors that this reading of the held-out version may spend. */
  alphaShare: number;
  maxUnmeasured: number;
}

interface HarmBounds {
  estimate: number;
  lower: number;
  upper: number;
  mcnemarP: number;
}

function harmBounds(paired: PairedHarm, rule: RateRule, alphaShare: number): HarmBounds {
  const tango = tangoInterval(paired.pairs, rule.alpha * alphaShare);
  const cluster = clusterInterval(paired.clusters, rule.clusterAlpha * alphaShare);
  return {
    estimate: paired.candidateRate - paired.referenceRate,
    lower: Math.min(tango.lower, cluster.lower),
    upper: Math.max(tango.upper, cluster.upper),
    mcnemarP: mcnemarExact(paired.pairs.onlyBaseline, paired.pairs.onlyCandidate),
  };
}

/** The figures in the direction of the metric. */
function figures(paired: PairedHarm, bounds: HarmBounds, question: RateQuestion): Partial<GateCheck> {
  const counts = { cases: paired.cases, groups: paired.groups, runs: paired.runs };
  if (!question.higherIsBetter) {
    return {
      ...counts,
      baseline: paired.referenceRate,
      candidate: paired.candidateRate,
      difference: bounds.estimate,
      lower: bounds.lower,
      upper: bounds.upper,
    };
  }
  return {
    ...counts,
    baseline: 1 - paired.referenceRate,
    candidate: 1 - paired.candidateRate,
    difference: 0 - bounds.estimate,
    lower: 0 - bounds.upper,
    upper: 0 - bounds.lower,
  };
}

/** Judges one rate on one suite against one reference. */
export function rateCheck(
  suite: SuiteEvidence | undefined,
  arm: ReferenceArm,
  question: RateQuestion,
): GateCheck {
  const { rule, alphaShare } = question;
  const head: CheckHead = {
    id: idOf(question.id, arm),
    group: question.group,
    against: againstOf(arm),
    metric: question.metric,
    test: rule.margin === 0 ? 'exact McNemar, Tango and cluster t' : 'Tango score and cluster t',
    alpha: rule.alpha * alphaShare,
    margin: question.higherIsBetter ? 0 - rule.margin : rule.margin,
  };
  const least = rule.least
    .map((l) => `${l.cases} cases in ${l.groups} groups × ${l.runs} runs`)
    .join(', or ');
  if (!suite || suite.cases.length === 0) {
    return check(head, {
      status: 'missing',
      needs: `at least ${least}`,
      explanation: 'Nothing was measured for this check.',
    });
  }
  const paired = pairHarm(suite.cases, suite.plan, { arm, harm: question.harm });
  const bounds = harmBounds(paired, rule, alphaShare);
  const shown = figures(paired, bounds, question);
  const lack = lackOf(paired, question);
  if (lack) return check(head, { ...shown, ...lack });
  const seen = `${question.noun}: ${percent(shown.candidate ?? 0)} against ${percent(shown.baseline ?? 0)}`;
  const bound = question.higherIsBetter
    ? `at least ${points(0 - bounds.upper)}`
    : `at most ${points(bounds.upper)}`;
  const passes =
    rule.margin === 0
      ? bounds.upper < 0 && bounds.mcnemarP < rule.alpha * alphaShare
      : bounds.upper < rule.margin;
  const wanted = rule.margin === 0 ? 'better than 0 points' : `no worse than ${points(head.margin ?? 0)}`;
  const more = passes ? null : timesMoreEvidence(bounds.estimate, bounds.upper, rule.margin);
  return check(head, {
    ...shown,
    status: passes ? 'pass' : 'fail',
    ...(more === null ? {} : { needs: more }),
    explanation: `${seen}; the difference is ${bound}, wanted: ${wanted}.`,
  });
}

/** Why the evidence cannot carry this check, if so. */
function lackOf(
  paired: PairedHarm,
  question: RateQuestion,
): Pick<GateCheck, 'status' | 'needs' | 'explanation'> | null {
  const { rule } = question;
  if (paired.referenceUnmeasured === 1 || paired.candidateUnmeasured === 1) {
    const arm = paired.candidateUnmeasured === 1 ? 'candidate' : 'reference';
    return { status: 'missing', needs: `runs of the ${arm}`, explanation: `The ${arm} has no verdict here.` };
  }
  const has = { cases: paired.cases, groups: paired.groups, runs: paired.runsPerCase };
  const lacking = lackingEvidence(has, rule.least);
  if (lacking)
    return { status: 'insufficient', needs: lacking, explanation: 'There is too little evidence to judge.' };
  const floor = leastPairsForMargin(rule.margin, rule.alpha * question.alphaShare);
  if (paired.pairs.pairs < floor) {
    return {
      status: 'insufficient',
      needs: `at least ${floor} paired runs; there are ${paired.pairs.pairs}`,
      explanation: 'Even without one bad run this many could not show that the margin holds.',
    };
  }
  const unmeasured = Math.max(paired.candidateUnmeasured, paired.referenceUnmeasured);
  if (unmeasured <= question.maxUnmeasured) return null;
  return {
    status: 'insufficient',
    needs: `verdicts on all but ${percent(question.maxUnmeasured)} of the runs`,
    explanation: `${percent(unmeasured)} of the runs of one arm have no verdict.`,
  };
}
