/** Decides from the age of the last sign of life whether a trainer hangs (known-failures B). Pure. */
import type { TrainerEvent } from '#contracts/training-job';

export interface WatchdogLimits {
  /** Importing torch and loading weights may be slow on a cold disk. */
  startMs: number;
  /** Longest silence between two events once training runs. */
  stepMs: number;
  /** Writing and checking the adapter. */
  saveMs: number;
}

export const DEFAULT_LIMITS: WatchdogLimits = { startMs: 240_000, stepMs: 120_000, saveMs: 180_000 };

export interface WatchdogState {
  phase: 'starting' | 'training' | 'saving';
  lastEventMs: number;
}

export function nextState(event: TrainerEvent, nowMs: number): WatchdogState {
  if (event.type === 'phase' && event.phase === 'saving') return { phase: 'saving', lastEventMs: nowMs };
  if (event.type === 'phase' && (event.phase === 'importing' || event.phase === 'loading')) {
    return { phase: 'starting', lastEventMs: nowMs };
  }
  return { phase: 'training', lastEventMs: nowMs };
}

/** Null while all is well, else why the run is given up. */
export function hangReason(state: WatchdogState, limits: WatchdogLimits, nowMs: number): string | null {
  const limit = { starting: limits.startMs, training: limits.stepMs, saving: limits.saveMs }[state.phase];
  const silentMs = nowMs - state.lastEventMs;
  if (silentMs <= limit) return null;
  return `no sign of life for ${Math.round(silentMs / 1000)} s while ${state.phase} (limit ${Math.round(limit / 1000)} s)`;
}
