/** Many tasks at once, bounded: the one way in which evals, profiles and gates get their rollouts. */
import type { EnvironmentDefinition, EnvironmentTask } from '#contracts/environment';
import type { Arm, Rollout } from '#contracts/rollout';
import type { Clock } from '#kernel/clock';
import { interleave, type PlannedRun } from '../domain/schedule.js';
import { judge, verifierOf } from '../domain/verdict.js';
import { runTask, type TaskRun } from './builtin.js';
import type { PolicyEndpoint, Sampling } from './chat-client.js';
import { callCheck } from './tool-checks.js';

export interface Price {
  inputPerMillionUsd: number;
  outputPerMillionUsd: number;
}

export interface RolloutCase {
  caseId: string;
  task: EnvironmentTask;
}

export interface RolloutBatch {
  runId: string;
  definition: EnvironmentDefinition;
  cases: readonly RolloutCase[];
  /** One arm, or several that take turns. */
  arms: Readonly<Partial<Record<Arm, PolicyEndpoint>>>;
  repeats: number;
  seed: number;
  sampling: Sampling;
  /** Null: unknown, and so is the cost. */
  price: Price | null;
  verifiers: { paid: string; independent: string };
  /** Rollouts under way at once. */
  concurrency: number;
  clock: Clock;
  signal?: AbortSignal;
  /** Keys (`rolloutKey`) of rollouts that exist: they are not run again. */
  done?: ReadonlySet<string>;
  /** Told of each rollout as it ends. An error it throws ends the batch. */
  onRollout?: (rollout: Rollout) => void | Promise<void>;
  onProgress?: (done: number, of: number) => void;
}

export function rolloutKey(of: { arm: Arm; caseId: string; repeat: number }): string {
  return `${of.arm}/${of.caseId}/${of.repeat}`;
}

/**
 * Runs what is not done yet and returns it, in plan order.
 * @throws the abort reason when `signal` is aborted; RangeError for an unknown verifier.
 */
export async function runRollouts(batch: RolloutBatch): Promise<Rollout[]> {
  const arms = Object.keys(batch.arms) as Arm[];
  const caseIds = batch.cases.map((each) => each.caseId);
  const planned = interleave(caseIds, arms, batch);
  const missing = planned.filter((run) => {
    const caseId = caseIds[run.caseIndex] as string;
    return !batch.done?.has(rolloutKey({ ...run, caseId }));
  });
  const runOne = rolloutRunner(batch);
  const results: Rollout[] = [];
  let next = 0;
  let finished = planned.length - missing.length;
  let stop = false;
  const worker = async (): Promise<void> => {
    while (!stop && next < missing.length) {
      batch.signal?.throwIfAborted();
      const at = next++;
      const rollout = await runOne(missing[at] as PlannedRun);
      await batch.onRollout?.(rollout);
      results[at] = rollout;
      batch.onProgress?.(++finished, planned.length);
    }
  };
  const workers = Array.from({ length: Math.max(1, Math.min(batch.concurrency, missing.length)) }, () =>
    worker().catch((error: unknown) => {
      stop = true;
      throw error;
    }),
  );
  const settled = await Promise.allSettled(workers);
  for (const end of settled) if (end.status === 'rejected') throw end.reason;
  return results;
}

function rolloutRunner(batch: RolloutBatch): (planned: PlannedRun) => Promise<Rollout> {
  const { definition, sampling, clock } = batch;
  const check = callCheck(definition.tools);
  const paid = verifierOf(definition, batch.verifiers.paid);
  const independent = verifierOf(definition, batch.verifiers.independent);
  return async ({ caseIndex, arm, repeat, seed }) => {
    const { caseId, task } = batch.cases[caseIndex] as RolloutCase;
    const policy = batch.arms[arm] as PolicyEndpoint;
    const startedAtMs = clock.nowMs();
    const signal = batch.signal ? { signal: batch.signal } : {};
    const run = await runTask({ definition, task, policy, sampling, seed, check, ...signal });
    const verdicts = verdictsOf(run, (transcript) => ({
      paid: judge(paid, run.session, transcript).result,
      independent: judge(independent, run.session, transcript).result,
    }));
    return {
      runId: batch.runId,
      arm,
      caseId,
      repeat,
      seed,
      taskId: task.id,
      lineageKey: task.lineageKey,
      family: task.family,
      slice: task.slice,
      ...verdicts,
      messages: run.messages,
      modelCalls: run.modelCalls,
      toolCalls: run.toolCalls,
      invalidOutput: run.invalidOutput,
      toolError: run.toolError,
      ...usageOf(run, batch.price),
      startedAtMs,
      durationMs: Math.max(0, clock.nowMs() - startedAtMs),
    };
  };
}

type Verdicts = Pick<Rollout, 'state' | 'kind' | 'reason' | 'stopReason' | 'paid' | 'independent'>;
type Transcript = { messages: Rollout['messages']; stopReason: NonNullable<Rollout['stopReason']> };

function verdictsOf(
  { end, messages }: TaskRun,
  ask: (transcript: Transcript) => Pick<Rollout, 'paid' | 'independent'>,
): Verdicts {
  if (end.state === 'masked') {
    return { ...end, stopReason: null, paid: null, independent: null };
  }
  const { stopReason } = end;
  const verdicts = ask({ messages, stopReason });
  const { paid } = verdicts;
  if (paid === null || paid.state === 'scored') {
    return { state: 'scored', kind: null, reason: null, stopReason, ...verdicts };
  }
  return { ...paid, stopReason, ...verdicts };
}

function usageOf(
  run: TaskRun,
  price: Price | null,
): Pick<Rollout, 'promptTokens' | 'completionTokens' | 'costUsd'> {
  const promptTokens = run.modelCalls.reduce((sum, call) => sum + call.promptTokens, 0);
  const completionTokens = run.modelCalls.reduce((sum, call) => sum + call.completionTokens, 0);
  const costUsd =
    price === null
      ? null
      : (promptTokens * price.inputPerMillionUsd + completionTokens * price.outputPerMillionUsd) / 1e6;
  return { promptTokens, completionTokens, costUsd };
}
