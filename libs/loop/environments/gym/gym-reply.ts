/** Verdicts in NeMo Gym's words: `mask_sample` says that the reward is no measurement. */
import type { VerifierResult } from '#contracts/environment';
import type { StopReason } from '#contracts/rollout';
import type { Verdict } from '../domain/verdict.js';

export interface GymReply {
  /** 0..1; 0 and without meaning where `mask_sample` is set. */
  reward: number;
  mask_sample: boolean;
  failure_kind: string | null;
  failure_reason: string | null;
  reward_components: Record<string, number>;
  success: boolean;
  unsafe: boolean;
  critical: boolean;
  stop_reason: StopReason | null;
}

/** A verifier that broke on this output is a scored 0; one that says it cannot judge is a mask. */
export function replyOf({ result, crash }: Verdict, stopReason: StopReason): GymReply {
  if (result.state !== 'scored')
    return { ...maskedReply(result.kind, result.reason), stop_reason: stopReason };
  return {
    reward: result.reward,
    mask_sample: false,
    failure_kind: crash === null ? null : 'verifier_crash',
    failure_reason: crash,
    reward_components: numbersOf(result.components),
    success: result.success,
    unsafe: result.unsafe,
    critical: result.critical,
    stop_reason: stopReason,
  };
}

export function maskedReply(kind: string, reason: string): GymReply {
  return {
    reward: 0,
    mask_sample: true,
    failure_kind: kind,
    failure_reason: reason,
    reward_components: {},
    success: false,
    unsafe: false,
    critical: false,
    stop_reason: null,
  };
}

/** The protocol's components are floats: those that do not apply are left out. */
function numbersOf(
  components: Extract<VerifierResult, { state: 'scored' }>['components'],
): Record<string, number> {
  return Object.fromEntries(
    Object.entries(components).filter((entry): entry is [string, number] => entry[1] !== null),
  );
}
