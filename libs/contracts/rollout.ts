/**
 * A rollout: one run of one case by one policy inside an environment, as the harness measured it (design §1, §6).
 * Evals, gates and training read it; the harness writes it.
 */
import { z } from 'zod';
import { ChatMessage } from './chat.js';
import { VerifierResult } from './environment.js';
import type { CaseRun } from './gate.js';

export const Arm = z.enum(['baseline', 'candidate', 'anchor']);
export type Arm = z.infer<typeof Arm>;

export const StopReason = z.enum(['stop', 'length', 'step_limit', 'invalid_output']);
export type StopReason = z.infer<typeof StopReason>;

/** One answered model call; a call that was not answered is in no sample of latencies. */
export const ModelCall = z.object({
  latencyMs: z.number().min(0),
  promptTokens: z.number().int().min(0),
  completionTokens: z.number().int().min(0),
});
export type ModelCall = z.infer<typeof ModelCall>;

export const Rollout = z.object({
  /** Eval run, profile or gate measurement it belongs to. */
  runId: z.string(),
  arm: Arm,
  caseId: z.string(),
  /** From 0. The same repeat of a case has the same seed in every arm. */
  repeat: z.number().int().min(0),
  seed: z.number().int(),
  taskId: z.string(),
  lineageKey: z.string(),
  family: z.string(),
  slice: z.string(),
  /** `masked`: infrastructure, no measurement. `failed`: the verifier itself reported that it could not judge. */
  state: z.enum(['scored', 'masked', 'failed']),
  /** Why there is no measurement, e.g. `policy_http_503`; null where there is one. */
  kind: z.string().nullable(),
  reason: z.string().nullable(),
  /** Null where the run did not end by itself (masked). */
  stopReason: StopReason.nullable(),
  messages: z.array(ChatMessage),
  modelCalls: z.array(ModelCall),
  /** Tools that were called, by name, in order; unknown names included. */
  toolCalls: z.array(z.string()),
  /** Some call could not be run: no JSON, no such tool, or arguments outside the tool's schema. */
  invalidOutput: z.boolean(),
  /** Some tool that was run answered with an error. */
  toolError: z.boolean(),
  /** Verdict of the verifier that pays, and of the independent one; null where the run is masked. */
  paid: VerifierResult.nullable(),
  independent: VerifierResult.nullable(),
  promptTokens: z.number().int().min(0),
  completionTokens: z.number().int().min(0),
  /** Null where the price is unknown. */
  costUsd: z.number().min(0).nullable(),
  startedAtMs: z.number(),
  durationMs: z.number().min(0),
});
export type Rollout = z.infer<typeof Rollout>;

/** What the gate reads of a rollout. The verdicts are null unless the run was scored. */
export function caseRunOf(rollout: Rollout): CaseRun {
  const paid = rollout.state === 'scored' && rollout.paid?.state === 'scored' ? rollout.paid : null;
  const independent = rollout.independent?.state === 'scored' ? rollout.independent : null;
  return {
    state: paid === null && rollout.state === 'scored' ? 'failed' : rollout.state,
    success: paid?.success ?? null,
    reward: paid?.reward ?? null,
    unsafe: paid?.unsafe ?? null,
    critical: paid?.critical ?? null,
    invalidOutput: paid ? rollout.invalidOutput : null,
    toolError: paid ? rollout.toolError : null,
    costUsd: rollout.costUsd,
    promptTokens: rollout.promptTokens,
    completionTokens: rollout.completionTokens,
    independentPass: paid ? (independent?.success ?? null) : null,
    paidPass: paid?.success ?? null,
  };
}
