/** Gate evidence with a known truth, for tests and for the bench of the gate's errors. Seeded; no real run is imitated. */
import type { CaseRun, GateEvidence, PairedCase, SuitePlan } from '#contracts/gate';
import { seededRng, type Rng } from '#kernel/random';

export interface ArmTruth {
  success: number;
  /** On tasks with an unsafe act in reach. */
  unsafe: number;
  /** Share of the unsafe runs that are critical. */
  criticalOfUnsafe: number;
  invalidOutput: number;
  toolError: number;
  /** Paid verifier passes, independent one does not. */
  unearnedReward: number;
  latencyMs: number;
  costUsd: number;
}

export interface SimulatedSizes {
  traffic: number;
  safety: number;
  buckets: number;
  runs: number;
  /** Cases of one lineage group. */
  perGroup: number;
  families: number;
  callsPerArm: number;
}

export interface SimulationOptions {
  seed: number;
  sizes: SimulatedSizes;
  baseline: ArmTruth;
  candidate: ArmTruth;
  /**
   * How far the difference of the arms varies between lineage groups: each arm's success in a group is the truth plus a
   * uniform draw from −spread..spread, its own for every arm.
   */
  groupSpread: number;
}

export const DEMO_SIZES: SimulatedSizes = {
  traffic: 360,
  safety: 160,
  buckets: 120,
  runs: 1,
  perGroup: 3,
  families: 9,
  callsPerArm: 900,
};

export const DEMO_BASE: ArmTruth = {
  success: 0.4,
  unsafe: 0.45,
  criticalOfUnsafe: 0.5,
  invalidOutput: 0.01,
  toolError: 0.1,
  unearnedReward: 0.01,
  latencyMs: 20,
  costUsd: 0.001,
};

export const DEMO_GOOD: ArmTruth = {
  ...DEMO_BASE,
  success: 0.8,
  unsafe: 0.03,
  invalidOutput: 0.02,
  toolError: 0.06,
};

interface GroupTruth extends ArmTruth {
  risky: boolean;
}

function simulateRun(truth: GroupTruth, rng: Rng): CaseRun {
  const unsafe = truth.risky && rng.next() < truth.unsafe;
  const success =
    !unsafe && rng.next() < Math.min(1, truth.risky ? truth.success / (1 - truth.unsafe) : truth.success);
  const unearned = rng.next() < truth.unearnedReward;
  return {
    state: 'scored',
    success,
    reward: success || unearned ? 1 : 0,
    unsafe,
    critical: unsafe && rng.next() < truth.criticalOfUnsafe,
    invalidOutput: rng.next() < truth.invalidOutput,
    toolError: rng.next() < truth.toolError,
    costUsd: truth.costUsd * (0.5 + rng.next()),
    promptTokens: 30,
    completionTokens: 20,
    independentPass: success && !unearned,
    paidPass: success || unearned,
  };
}

function simulateSuite(
  name: string,
  count: number,
  { options, rng }: { options: SimulationOptions; rng: Rng },
): PairedCase[] {
  const { sizes, groupSpread } = options;
  const groups = Math.ceil(count / sizes.perGroup);
  const shift = (): number => (2 * rng.next() - 1) * groupSpread;
  const shifts = Array.from({ length: groups }, () => ({ baseline: shift(), candidate: shift() }));
  return Array.from({ length: count }, (_, i): PairedCase => {
    const group = i % groups;
    const family = `family_${group % sizes.families}`;
    const risky = name === 'safety' || (group % sizes.families < 3 && rng.next() < 0.45);
    const runsOf = (arm: 'baseline' | 'candidate'): CaseRun[] => {
      const success = options[arm].success + (shifts[group]?.[arm] ?? 0);
      return Array.from({ length: sizes.runs }, () => simulateRun({ ...options[arm], success, risky }, rng));
    };
    return {
      caseId: `${name}-${i}`,
      lineageKey: `${name}-${group}`,
      family,
      slice: family,
      safetySlice: risky,
      bucketIds: name === 'buckets' ? [`bucket_${group % 3}`] : [],
      tools: [`tool_${group % 5}`],
      runs: { baseline: runsOf('baseline'), candidate: runsOf('candidate') },
    };
  });
}

const planOf = (cases: readonly PairedCase[], runs: number): SuitePlan => ({
  caseIds: cases.map(({ caseId }) => caseId),
  runs,
});

/** Complete, fresh, sealed evidence in which only the arms' truths decide. Anchor and baseline are one agent. */
export function simulateEvidence(options: SimulationOptions): GateEvidence {
  const rng = seededRng(options.seed);
  const { sizes } = options;
  const suite = (name: string, count: number): PairedCase[] => simulateSuite(name, count, { options, rng });
  const suites = {
    traffic: suite('traffic', sizes.traffic),
    safety: suite('safety', sizes.safety),
    buckets: suite('buckets', sizes.buckets),
  };
  const times = (arm: ArmTruth): number[] =>
    Array.from({ length: sizes.callsPerArm }, () => arm.latencyMs * (0.6 - 0.4 * Math.log(1 - rng.next())));
  return {
    agents: { baseline: 'agent-base', candidate: 'agent-candidate', anchor: 'agent-base' },
    servedCandidateDigest: 'agent-candidate',
    plan: {
      traffic: planOf(suites.traffic, sizes.runs),
      safety: planOf(suites.safety, sizes.runs),
      buckets: planOf(suites.buckets, sizes.runs),
    },
    suites,
    latency: {
      baselineMs: times(options.baseline),
      candidateMs: times(options.candidate),
      calls: { baseline: sizes.callsPerArm, candidate: sizes.callsPerArm },
      interleaved: true,
    },
    seal: {
      manifestKeys: ['trained-1', 'trained-2'],
      heldoutKeys: ['traffic-0'],
      manifestCount: 2,
      heldoutCount: 1,
    },
    readings: { suiteVersion: 'heldout-1', used: 0, budget: 20 },
    verifierAdmission: 'admitted',
    adapterAdmission: { ok: true, problems: [], deltaNorm: 1 },
    measuredAt: '2026-01-01T00:00:00.000Z',
  };
}
