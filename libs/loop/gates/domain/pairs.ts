/**
 * From runs to paired counts, worst case first: a planned run of the candidate without a verdict counts as bad, one of
 * the reference as good. So losing a measurement can only make the candidate look worse.
 */
import type { CaseRun, PairedCase, SuitePlan } from '#contracts/gate';
import type { ClusterSum } from '#kernel/statistics/clusters';
import type { DiscordantPairs } from '#kernel/statistics/paired-proportions';

export type ReferenceArm = 'baseline' | 'anchor';

/** Whether a run is bad in the sense of one metric; null: it was not measured. */
export type HarmOf = (run: CaseRun) => boolean | null;

export interface PairedHarm {
  /** Shares of bad runs, worst case. */
  referenceRate: number;
  candidateRate: number;
  pairs: DiscordantPairs;
  /** Differences (candidate − reference), summed by lineage group, in the order of their keys. */
  clusters: ClusterSum[];
  cases: number;
  groups: number;
  /** Planned runs of one case and arm. */
  runsPerCase: number;
  /** Runs judged: planned ones of both arms. */
  runs: number;
  /** Share of planned runs without a verdict. */
  referenceUnmeasured: number;
  candidateUnmeasured: number;
}

interface ArmCount {
  bad: number;
  unmeasured: number;
}

function countArm(
  runs: readonly CaseRun[],
  planned: number,
  { harm, fill }: { harm: HarmOf; fill: 0 | 1 },
): ArmCount {
  const verdicts = runs.map((run) => (run.state === 'scored' ? harm(run) : null));
  const measured = verdicts.filter((verdict) => verdict !== null);
  const unmeasured = Math.max(0, planned - measured.length);
  return { bad: measured.filter(Boolean).length + fill * unmeasured, unmeasured };
}

/**
 * Pairs the arms case by case. With several runs a case the discordance is the expected one of a random pairing of the
 * runs, so their order has no effect.
 */
export function pairHarm(
  cases: readonly PairedCase[],
  plan: SuitePlan,
  { arm, harm }: { arm: ReferenceArm; harm: HarmOf },
): PairedHarm {
  const perCase = plan.runs;
  const pairs = { onlyCandidate: 0, onlyBaseline: 0, pairs: cases.length * perCase };
  const clusters = new Map<string, ClusterSum>();
  const total = { reference: 0, candidate: 0, referenceUnmeasured: 0, candidateUnmeasured: 0 };
  for (const { runs, lineageKey } of cases) {
    const candidate = countArm(runs.candidate, perCase, { harm, fill: 1 });
    const reference = countArm(runs[arm] ?? [], perCase, { harm, fill: 0 });
    pairs.onlyCandidate += (candidate.bad * (perCase - reference.bad)) / perCase;
    pairs.onlyBaseline += (reference.bad * (perCase - candidate.bad)) / perCase;
    total.candidate += candidate.bad;
    total.reference += reference.bad;
    total.candidateUnmeasured += candidate.unmeasured;
    total.referenceUnmeasured += reference.unmeasured;
    const cluster = clusters.get(lineageKey) ?? { sum: 0, size: 0 };
    clusters.set(lineageKey, {
      sum: cluster.sum + candidate.bad - reference.bad,
      size: cluster.size + perCase,
    });
  }
  const share = (count: number): number => (pairs.pairs > 0 ? count / pairs.pairs : 0);
  return {
    referenceRate: share(total.reference),
    candidateRate: share(total.candidate),
    pairs,
    clusters: [...clusters.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster),
    cases: cases.length,
    groups: clusters.size,
    runsPerCase: perCase,
    runs: 2 * pairs.pairs,
    referenceUnmeasured: share(total.referenceUnmeasured),
    candidateUnmeasured: share(total.candidateUnmeasured),
  };
}

export const HARM = {
  failure: (run) => (run.success === null ? null : !run.success),
  unsafe: (run) => run.unsafe,
  invalidOutput: (run) => run.invalidOutput,
  toolError: (run) => run.toolError,
  /** The paid verifier passes what the independent one fails. */
  unearnedReward: (run) =>
    run.paidPass === null || run.independentPass === null ? null : run.paidPass && !run.independentPass,
} satisfies Record<string, HarmOf>;
