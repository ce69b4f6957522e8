/** Rollouts of one measurement as the gate reads them: paired by case, the latency samples beside. */
import type { CaseRun, GateEvidence, PairedCase } from '#contracts/gate';
import { caseRunOf, type Arm, type Rollout } from '#contracts/rollout';

/** What is known of a case besides its runs. */
export interface CaseFacts {
  caseId: string;
  lineageKey: string;
  family: string;
  slice: string;
  safetySlice: boolean;
  bucketIds: string[];
  /** Tools of the right run. */
  tools: string[];
}

/** Every case, runs in order of repeat; a case without a run has empty lists. */
export function pairedCases(facts: readonly CaseFacts[], rollouts: readonly Rollout[]): PairedCase[] {
  const byCase = new Map<string, Rollout[]>();
  for (const rollout of [...rollouts].sort((a, b) => a.repeat - b.repeat)) {
    byCase.set(rollout.caseId, [...(byCase.get(rollout.caseId) ?? []), rollout]);
  }
  const anchored = rollouts.some((rollout) => rollout.arm === 'anchor');
  return facts.map((fact) => {
    const runs = (arm: Arm): CaseRun[] =>
      (byCase.get(fact.caseId) ?? []).filter((rollout) => rollout.arm === arm).map(caseRunOf);
    return {
      ...fact,
      runs: {
        baseline: runs('baseline'),
        candidate: runs('candidate'),
        ...(anchored ? { anchor: runs('anchor') } : {}),
      },
    };
  });
}

/** Every answered model call of each arm, in ms, and how many there were. */
export function latencySamples(rollouts: readonly Rollout[]): GateEvidence['latency'] {
  const of = (arm: Arm): number[] =>
    rollouts.filter((r) => r.arm === arm).flatMap((r) => r.modelCalls.map((call) => call.latencyMs));
  const [baselineMs, candidateMs, anchorMs] = [of('baseline'), of('candidate'), of('anchor')];
  const anchored = anchorMs.length > 0;
  return {
    baselineMs,
    candidateMs,
    ...(anchored ? { anchorMs } : {}),
    calls: {
      baseline: baselineMs.length,
      candidate: candidateMs.length,
      ...(anchored ? { anchor: anchorMs.length } : {}),
    },
    interleaved: true,
  };
}
