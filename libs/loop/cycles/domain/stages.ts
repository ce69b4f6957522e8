/** The record of a turn: which stage is where, and where to go on after a restart. Pure. */
import { CYCLE_STAGES, type CycleStage, type CycleStageName } from '#contracts/cycle';

/** The training run of a turn: one a turn, whatever the attempt. */
export function trainingRunId(cycleId: string): string {
  return `run-${cycleId}`;
}

export function freshStages(): CycleStage[] {
  return CYCLE_STAGES.map((name) => ({
    name,
    state: 'pending',
    startedAt: null,
    endedAt: null,
    progress: null,
    summary: null,
    evidence: null,
  }));
}

export function withStage(
  stages: readonly CycleStage[],
  name: CycleStageName,
  change: Partial<CycleStage>,
): CycleStage[] {
  return stages.map((stage) => (stage.name === name ? { ...stage, ...change } : stage));
}

/** Evidence of a finished stage, or null. */
export function evidenceOf(stages: readonly CycleStage[], name: CycleStageName): unknown {
  const stage = stages.find((one) => one.name === name);
  return stage?.state === 'done' ? stage.evidence : null;
}

/** First stage that is neither done nor skipped; null when the turn is through. */
export function nextStage(stages: readonly CycleStage[]): CycleStageName | null {
  return stages.find((stage) => stage.state !== 'done' && stage.state !== 'skipped')?.name ?? null;
}
