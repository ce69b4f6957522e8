/** The gate's promises over many inputs, on small suites and wide errors so that verdicts lie near their edge. */
import fc from 'fast-check';
import {
  GateEvidence,
  GateReport,
  type CaseRun,
  type GatePolicy,
  type LeastEvidence,
  type PairedCase,
} from '#contracts/gate';
import { seededRng, type Rng } from '#kernel/random';
import { judge } from './judge.js';
import { DEFAULT_GATE_POLICY } from './policy.js';
import { DEMO_BASE, simulateEvidence } from './simulated-evidence.js';

const LEAST: LeastEvidence[] = [{ cases: 4, groups: 2, runs: 1 }];
const rule = (margin: number): GatePolicy['success'] => ({
  margin,
  alpha: 0.2,
  clusterAlpha: 0.2,
  least: LEAST,
});

const EDGE_POLICY: GatePolicy = {
  ...DEFAULT_GATE_POLICY,
  success: rule(0),
  buckets: rule(0),
  unsafe: rule(0.1),
  invalidOutput: rule(0.1),
  toolError: rule(0.15),
  independent: rule(0.1),
  general: null,
  latencyP95: { maxRatio: 1.3, alpha: 0.2, leastCalls: 10 },
  costPerSuccess: { maxRatio: 1.1, alpha: 0.2, least: LEAST },
  slices: { alpha: 0.3, least: { cases: 3, runs: 1 }, required: [] },
  masks: { maxShare: 0.2 },
  bootstrap: { draws: 60, seed: 1 },
};

const share = (min: number, max: number): fc.Arbitrary<number> => fc.double({ min, max, noNaN: true });

/** Small evidence of a candidate somewhere between a little worse and much better than its base. */
const edgeEvidence = fc
  .record({
    seed: fc.integer({ min: 0, max: 1e6 }),
    runs: fc.constantFrom(1, 1, 2, 3),
    perGroup: fc.integer({ min: 1, max: 4 }),
    success: share(0.4, 1),
    unsafe: share(0, 0.5),
    baseUnsafe: share(0, 0.5),
    critical: fc.constantFrom(0, 0.2),
    baseCritical: fc.constantFrom(0, 0, 0.5),
    invalidOutput: share(0, 0.15),
    unearnedReward: share(0, 0.15),
    latencyMs: share(15, 30),
    costUsd: share(0.0005, 0.003),
    otherAnchor: fc.boolean(),
  })
  .map(({ seed, runs, perGroup, baseUnsafe, critical, baseCritical, otherAnchor, ...arm }): GateEvidence => {
    const evidence = simulateEvidence({
      seed,
      sizes: { traffic: 24, safety: 16, buckets: 12, runs, perGroup, families: 3, callsPerArm: 30 },
      baseline: { ...DEMO_BASE, unsafe: baseUnsafe, criticalOfUnsafe: baseCritical },
      candidate: { ...DEMO_BASE, ...arm, criticalOfUnsafe: critical },
      groupSpread: 0.2,
    });
    return otherAnchor ? withAnchor(evidence) : evidence;
  });

/** Makes the anchor another agent that did as the baseline did. */
function withAnchor(evidence: GateEvidence): GateEvidence {
  const add = (cases: PairedCase[]): PairedCase[] =>
    cases.map((paired) => ({ ...paired, runs: { ...paired.runs, anchor: paired.runs.baseline } }));
  const { traffic, safety, buckets } = evidence.suites;
  return {
    ...evidence,
    agents: { ...evidence.agents, anchor: 'agent-best' },
    suites: { traffic: add(traffic), safety: add(safety), buckets: add(buckets) },
    latency: {
      ...evidence.latency,
      anchorMs: evidence.latency.baselineMs,
      calls: { ...evidence.latency.calls, anchor: evidence.latency.calls.baseline },
    },
  };
}

const SUITES = ['traffic', 'safety', 'buckets'] as const;

/** A copy in which one run, drawn by `rng`, is changed; `null` takes it out. */
function changeRun(
  evidence: GateEvidence,
  rng: Rng,
  arm: 'baseline' | 'candidate',
  change: (run: CaseRun) => CaseRun | null,
): GateEvidence {
  const copy = structuredClone(evidence);
  const runs = rng.pick(copy.suites[rng.pick(SUITES)])?.runs[arm] ?? [];
  const at = rng.int(runs.length);
  const run = runs[at];
  if (!run) return copy;
  const changed = change(run);
  runs.splice(at, 1, ...(changed ? [changed] : []));
  return copy;
}

const mask = (run: CaseRun): CaseRun => ({
  ...run,
  state: 'masked',
  success: null,
  reward: null,
  unsafe: null,
  critical: null,
  invalidOutput: null,
  toolError: null,
  independentPass: null,
  paidPass: null,
});

type Change = (evidence: GateEvidence, rng: Rng) => GateEvidence;
const onCandidate =
  (change: (run: CaseRun) => CaseRun): Change =>
  (evidence, rng) =>
    changeRun(evidence, rng, 'candidate', (run) => (run.state === 'scored' ? change(run) : run));

const WORSENINGS: Record<string, Change> = {
  'a success becomes a failure': onCandidate((run) => ({ ...run, success: false })),
  'a safe run becomes unsafe': onCandidate((run) => ({ ...run, unsafe: true })),
  'an act becomes critical': onCandidate((run) => ({ ...run, unsafe: true, critical: true })),
  'a call becomes invalid': onCandidate((run) => ({ ...run, invalidOutput: true })),
  'a tool call fails': onCandidate((run) => ({ ...run, toolError: true })),
  'the independent verifier disagrees': onCandidate((run) => ({ ...run, independentPass: false })),
  'a run costs more': (evidence, rng) =>
    changeRun(evidence, rng, 'candidate', (run) => ({
      ...run,
      costUsd: (run.costUsd ?? 0) + 0.002 * rng.next(),
    })),
  'a run is masked': (evidence, rng) => changeRun(evidence, rng, 'candidate', mask),
  'every critical act is masked': (evidence) => {
    const copy = structuredClone(evidence);
    for (const { runs } of SUITES.flatMap((name) => copy.suites[name])) {
      runs.candidate = runs.candidate.map((run) => (run.critical ? mask(run) : run));
    }
    return copy;
  },
  'a call is slower': (evidence, rng) => {
    const candidateMs = [...evidence.latency.candidateMs];
    const at = rng.int(candidateMs.length);
    candidateMs[at] = (candidateMs[at] ?? 0) + 60 * rng.next();
    return { ...evidence, latency: { ...evidence.latency, candidateMs } };
  },
};

const without = <T>(items: readonly T[], at: number): T[] => items.filter((_, i) => i !== at);

const REMOVALS: Record<string, Change> = {
  'a run of the candidate is lost': (evidence, rng) => changeRun(evidence, rng, 'candidate', () => null),
  'a run of production is lost': (evidence, rng) => changeRun(evidence, rng, 'baseline', () => null),
  'a run of production is masked': (evidence, rng) => changeRun(evidence, rng, 'baseline', mask),
  'every case that got worse is lost': (evidence) => {
    const suites = { ...evidence.suites };
    const failures = (runs: readonly CaseRun[]): number => runs.filter((run) => !run.success).length;
    for (const name of SUITES) {
      suites[name] = suites[name].filter(({ runs }) => failures(runs.candidate) <= failures(runs.baseline));
    }
    return { ...evidence, suites };
  },
  'a suite is lost': (evidence, rng) => ({
    ...evidence,
    suites: { ...evidence.suites, [rng.pick(SUITES)]: [] },
  }),
  'the slowest call is lost': (evidence) => {
    const { candidateMs } = evidence.latency;
    const slowest = candidateMs.indexOf(Math.max(...candidateMs));
    return { ...evidence, latency: { ...evidence.latency, candidateMs: without(candidateMs, slowest) } };
  },
  'the anchor is lost': (evidence) => ({
    ...evidence,
    suites: Object.fromEntries(
      SUITES.map((name) => [
        name,
        evidence.suites[name].map(({ runs: { baseline, candidate }, ...rest }) => ({
          ...rest,
          runs: { baseline, candidate },
        })),
      ]),
    ) as GateEvidence['suites'],
  }),
  'keys of the manifest are lost': (evidence) => ({
    ...evidence,
    seal: { ...evidence.seal, manifestKeys: [] },
  }),
};

const blockingIds = (evidence: GateEvidence): Set<string> => new Set(judge(evidence, EDGE_POLICY).blockedBy);

describe('worsening', () => {
  it.each(Object.entries(WORSENINGS))('no check that blocks stops blocking when %s', (_, worsen) => {
    fc.assert(
      fc.property(edgeEvidence, fc.integer({ min: 0, max: 1e6 }), (start, seed) => {
        const rng = seededRng(seed);
        let evidence = start;
        let before = blockingIds(evidence);
        for (let step = 0; step < 3; step++) {
          evidence = worsen(evidence, rng);
          const after = blockingIds(evidence);
          expect([...before].filter((id) => !after.has(id))).toEqual([]);
          before = after;
        }
      }),
      { seed: 17, numRuns: 40 },
    );
  });

  it.each(Object.entries(REMOVALS))('a block stays a block when %s', (_, remove) => {
    fc.assert(
      fc.property(edgeEvidence, fc.integer({ min: 0, max: 1e6 }), (start, seed) => {
        const removed = remove(start, seededRng(seed));
        expect(GateEvidence.safeParse(removed).success).toBe(true);
        if (judge(start, EDGE_POLICY).verdict === 'block')
          expect(judge(removed, EDGE_POLICY).verdict).toBe('block');
      }),
      { seed: 18, numRuns: 30 },
    );
  });

  it('is asked of verdicts of both kinds', () => {
    const verdicts = fc
      .sample(edgeEvidence, { seed: 17, numRuns: 200 })
      .map((evidence) => judge(evidence, EDGE_POLICY).verdict);
    expect(verdicts.filter((verdict) => verdict === 'promote').length).toBeGreaterThan(5);
    expect(verdicts.filter((verdict) => verdict === 'block').length).toBeGreaterThan(20);
  });
});

const nullableBool = fc.option(fc.boolean(), { nil: null });
const anyRun: fc.Arbitrary<CaseRun> = fc.record({
  state: fc.constantFrom('scored' as const, 'masked' as const, 'failed' as const),
  success: nullableBool,
  reward: fc.option(share(-1, 1), { nil: null }),
  unsafe: nullableBool,
  critical: nullableBool,
  invalidOutput: nullableBool,
  toolError: nullableBool,
  costUsd: fc.option(share(0, 1), { nil: null }),
  promptTokens: fc.nat(100),
  completionTokens: fc.nat(100),
  independentPass: nullableBool,
  paidPass: nullableBool,
});
const word = fc.constantFrom('a', 'b', 'c', '');
const runList = fc.array(anyRun, { maxLength: 2 });
const anySuite = fc
  .uniqueArray(
    fc.record({
      caseId: fc.string({ maxLength: 3 }),
      lineageKey: word,
      family: word,
      slice: word,
      safetySlice: fc.boolean(),
      bucketIds: fc.array(word, { maxLength: 2 }),
      tools: fc.array(word, { maxLength: 2 }),
      runs: fc.record(
        { baseline: runList, candidate: runList, anchor: runList },
        { requiredKeys: ['baseline', 'candidate'] },
      ),
    }),
    { maxLength: 8, selector: ({ caseId }) => caseId },
  )
  .map((cases) => ({ cases, plan: { caseIds: cases.map(({ caseId }) => caseId), runs: 2 } }));
const times = fc.array(share(0, 5), { maxLength: 12 });
const anyEvidence = fc
  .tuple(anySuite, anySuite, anySuite, fc.option(anySuite), times, times, fc.boolean(), fc.nat(25), word)
  .map(([traffic, safety, buckets, general, baselineMs, candidateMs, interleaved, used, anchor]) => ({
    agents: { baseline: 'a', candidate: 'b', anchor },
    servedCandidateDigest: 'b',
    plan: {
      traffic: traffic.plan,
      safety: safety.plan,
      buckets: buckets.plan,
      ...(general ? { general: general.plan } : {}),
    },
    suites: {
      traffic: traffic.cases,
      safety: safety.cases,
      buckets: buckets.cases,
      ...(general ? { general: general.cases } : {}),
    },
    latency: {
      baselineMs,
      candidateMs,
      calls: { baseline: baselineMs.length, candidate: candidateMs.length },
      interleaved,
    },
    seal: { manifestKeys: [], heldoutKeys: [], manifestCount: 0, heldoutCount: 0 },
    readings: { suiteVersion: 'v', used, budget: 20 },
    verifierAdmission: 'admitted',
    adapterAdmission: { ok: true, problems: [], deltaNorm: null },
    measuredAt: '2026-01-01T00:00:00.000Z',
  }));

describe('totality', () => {
  it.each([
    ['lenient', { ...EDGE_POLICY, general: rule(0.2) }],
    ['default', DEFAULT_GATE_POLICY],
  ])(
    'every valid evidence has a valid report under the %s policy, and its reasons stand in it',
    (_, policy) => {
      fc.assert(
        fc.property(anyEvidence, (raw) => {
          const report = GateReport.parse(judge(GateEvidence.parse(raw), policy));
          const ids = report.checks.map(({ id }) => id);
          expect(new Set(ids).size).toBe(ids.length);
          expect(ids).toEqual(expect.arrayContaining(report.blockedBy));
          for (const { status, needs } of report.checks) {
            if (status === 'insufficient' || status === 'missing') expect(needs).toBeTruthy();
          }
        }),
        { seed: 19, numRuns: 100 },
      );
    },
  );
});
