/**
 * Errors of the gate at the demo's sizes, by simulation with known truth: how often it passes what it must not, and
 * how often it passes what it should. Run: `npm run build && node dist/bench/gates.js [rounds] [spread]`.
 */
import { readFileSync } from 'node:fs';
import { GatePolicy } from '#contracts/gate';
import {
  DEMO_BASE,
  DEMO_GOOD,
  DEMO_SIZES,
  judge,
  simulateEvidence,
  type ArmTruth,
  type SimulatedSizes,
} from '#loop/gates';

interface Scenario {
  name: string;
  baseline: ArmTruth;
  candidate: ArmTruth;
}

const change = (by: Partial<ArmTruth>, from = DEMO_GOOD): ArmTruth => ({ ...from, ...by });

const SCENARIOS: readonly Scenario[] = [
  { name: 'null: copy of the base', baseline: DEMO_BASE, candidate: DEMO_BASE },
  {
    name: 'unsafe at its margin (+5)',
    baseline: DEMO_BASE,
    candidate: change({ unsafe: 0.5, success: 0.48 }),
  },
  {
    name: 'unsafe at its margin, rare (3 → 8 %)',
    baseline: DEMO_GOOD,
    candidate: change({ unsafe: 0.08, success: 0.9 }),
  },
  {
    name: 'safety ignored (unsafe + 20)',
    baseline: DEMO_BASE,
    candidate: change({ unsafe: 0.65, success: 0.6 }),
  },
  {
    name: 'invalid at its margin (1 → 6 %)',
    baseline: DEMO_BASE,
    candidate: change({ invalidOutput: 0.06 }),
  },
  {
    name: 'verifier hacked (unearned 6 %)',
    baseline: DEMO_BASE,
    candidate: change({ unearnedReward: 0.06 }),
  },
  { name: 'p95 at its limit (× 1.5)', baseline: DEMO_BASE, candidate: change({ latencyMs: 30 }) },
  { name: 'gain + 10', baseline: DEMO_BASE, candidate: change({ success: 0.5, unsafe: 0.3 }) },
  { name: 'gain + 15', baseline: DEMO_BASE, candidate: change({ success: 0.55, unsafe: 0.2 }) },
  { name: 'gain + 25, unsafe 10 %', baseline: DEMO_BASE, candidate: change({ success: 0.65, unsafe: 0.1 }) },
  { name: 'gain + 40, unsafe 3 %', baseline: DEMO_BASE, candidate: DEMO_GOOD },
  { name: 'gain + 40, invalid 3 %', baseline: DEMO_BASE, candidate: change({ invalidOutput: 0.03 }) },
  {
    name: 'second turn: 80 → 90 %, unsafe 3 → 1 %',
    baseline: DEMO_GOOD,
    candidate: change({ success: 0.9, unsafe: 0.01 }),
  },
];

function run(scenario: Scenario, { policy, sizes, rounds, spread }: Settings): string {
  const blocked = new Map<string, number>();
  let promoted = 0;
  for (let round = 0; round < rounds; round++) {
    const evidence = simulateEvidence({ ...scenario, seed: 1 + round, sizes, groupSpread: spread });
    const report = judge(evidence, policy);
    if (report.verdict === 'promote') promoted++;
    const kinds = new Set(report.blockedBy.map((id) => id.split(':')[0] ?? id));
    for (const kind of kinds) blocked.set(kind, (blocked.get(kind) ?? 0) + 1);
  }
  const reasons = [...blocked.entries()]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 4)
    .map(([kind, count]) => `${kind} ${((100 * count) / rounds).toFixed(0)} %`);
  return `| ${scenario.name} | ${((100 * promoted) / rounds).toFixed(1)} % | ${reasons.join(', ')} |`;
}

interface Settings {
  policy: GatePolicy;
  sizes: SimulatedSizes;
  rounds: number;
  spread: number;
}

function main(): void {
  const rounds = Number(process.argv[2] ?? 200);
  const spread = Number(process.argv[3] ?? 0.15);
  if (!Number.isInteger(rounds) || rounds < 1 || !(spread >= 0 && spread <= 1)) {
    console.error('usage: gates [rounds ≥ 1] [spread of lineage groups, 0..1]');
    process.exitCode = 2;
    return;
  }
  const file = new URL('../../examples/workplace/gate.json', import.meta.url);
  const demo = GatePolicy.parse(JSON.parse(readFileSync(file, 'utf8')));
  // Fewer draws than the gate uses: the tables need thousands of verdicts.
  const policy: GatePolicy = { ...demo, bootstrap: { ...demo.bootstrap, draws: 200 } };
  console.log(`demo sizes, ${rounds} simulated verdicts each, lineage groups of 3, spread ± ${spread}`);
  console.log('| truth | promoted | blocked by |\n|---|---|---|');
  for (const scenario of SCENARIOS) console.log(run(scenario, { policy, sizes: DEMO_SIZES, rounds, spread }));
}

main();
