/**
 * Admission of a verifier (design §6): outputs scored by hand, half passed and half failed by it. It may train when of the
 * outputs it passes at most 1 in 50 is wrong, and of those it fails at most 3 in 50 are right.
 */
import { z } from 'zod';
import { ChatMessage } from '#contracts/chat';
import { EnvironmentTask, type EnvironmentDefinition } from '#contracts/environment';
import { StopReason } from '#contracts/rollout';
import { clopperPearsonInterval, type Interval } from '#kernel/statistics/proportions';
import { judge, replay, verifierOf } from './verdict.js';

export const ScoredRun = z.object({
  task: EnvironmentTask,
  transcript: z.object({ messages: z.array(ChatMessage), stopReason: StopReason }),
  human: z.enum(['pass', 'fail']),
  /** Why, in the words of the person who scored it. */
  reason: z.string().optional(),
});
export type ScoredRun = z.infer<typeof ScoredRun>;

/** The hand-scored file that ships with a verifier. */
export const ScoredFile = z.object({
  verifier: z.string(),
  /** Version of the verifier it was scored for: another one must be scored anew. */
  version: z.string(),
  scoredBy: z.string().optional(),
  outputs: z.array(ScoredRun),
});
export type ScoredFile = z.infer<typeof ScoredFile>;

export const AdmissionRule = {
  leastEach: 50,
  mostFalsePassShare: 1 / 50,
  mostFalseFailShare: 3 / 50,
} as const;

export interface AdmissionReport {
  verifier: string;
  version: string;
  admitted: boolean;
  /** Outputs the verifier passed / failed. */
  passed: number;
  failed: number;
  /** Passed by the verifier, failed by the person; share of `passed` with its exact 95 % interval. */
  falsePasses: { count: number; share: Interval; taskIds: string[] };
  /** Failed by the verifier, passed by the person; share of `failed`. */
  falseFails: { count: number; share: Interval; taskIds: string[] };
  /** Why it is not admitted; empty where it is. */
  problems: string[];
}

/**
 * Runs the verifier on every hand-scored output in a replayed session.
 * @throws RangeError where the environment has no such verifier.
 */
export function admitVerifier(definition: EnvironmentDefinition, file: ScoredFile): AdmissionReport {
  const verifier = verifierOf(definition, file.verifier);
  const judged = file.outputs.map((run) => {
    const { result } = judge(verifier, replay(definition, run.task, run.transcript), run.transcript);
    return { taskId: run.task.id, human: run.human, passes: result.state === 'scored' && result.success };
  });
  const passed = judged.filter((run) => run.passes);
  const failed = judged.filter((run) => !run.passes);
  const falsePasses = passed.filter((run) => run.human === 'fail').map((run) => run.taskId);
  const falseFails = failed.filter((run) => run.human === 'pass').map((run) => run.taskId);
  const problems = [
    file.version === verifier.version
      ? null
      : `scored for version ${file.version}, it is ${verifier.version} now`,
    tooFew('passed', passed.length),
    tooFew('failed', failed.length),
    tooMany('false passes', falsePasses.length, passed.length * AdmissionRule.mostFalsePassShare),
    tooMany('false fails', falseFails.length, failed.length * AdmissionRule.mostFalseFailShare),
  ].filter((problem) => problem !== null);
  return {
    verifier: verifier.name,
    version: verifier.version,
    admitted: problems.length === 0,
    passed: passed.length,
    failed: failed.length,
    falsePasses: errors(falsePasses, passed.length),
    falseFails: errors(falseFails, failed.length),
    problems,
  };
}

function tooFew(what: string, count: number): string | null {
  const missing = AdmissionRule.leastEach - count;
  return missing > 0 ? `${count} scored outputs are ${what} by it; ${missing} more are needed` : null;
}

function tooMany(what: string, count: number, most: number): string | null {
  return count > most + 1e-9 ? `${count} ${what}, at most ${Math.floor(most + 1e-9)} are allowed` : null;
}

function errors(taskIds: string[], of: number): AdmissionReport['falsePasses'] {
  return { count: taskIds.length, share: clopperPearsonInterval(taskIds.length, of), taskIds };
}
