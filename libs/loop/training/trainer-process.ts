/** Runs native/trainer once: starts it, reads its events, watches it, and always ends in a named state. */
import { join } from 'node:path';
import { TrainerEvent, type TrainingJob } from '#contracts/training-job';
import type { Clock } from '#kernel/clock';
import { spawnCommand } from '#platform/process';
import { DEFAULT_LIMITS, hangReason, nextState, type WatchdogLimits, type WatchdogState } from './domain/watchdog.js';

/** How the trainer program is started; a test puts a scripted program that speaks the same protocol here. */
export interface TrainerCommand {
  command: string;
  /** `--job PATH` is added. */
  args: string[];
  cwd: string;
  env?: Record<string, string>;
}

export type TrainerEnd =
  | { state: 'succeeded'; done: Extract<TrainerEvent, { type: 'done' }> }
  | { state: 'failed'; kind: string; reason: string }
  | { state: 'cancelled' };

export interface TrainerRun {
  job: TrainingJob;
  jobPath: string;
  homeDir: string;
  signal: AbortSignal;
  /** A rejection (a stale fencing, say) stops the trainer and is rethrown. */
  onEvent: (event: TrainerEvent) => Promise<void>;
  onLog?: (line: string) => void;
  limits?: WatchdogLimits;
  clock: Clock;
}

const STOP_GRACE_MS = 3_000;
const WATCH_EVERY_MS = 500;

function parseEvent(line: string): TrainerEvent | null {
  if (!line.startsWith('{')) return null;
  try {
    const parsed = TrainerEvent.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    // A library's print that only looks like JSON: it goes to the log as text.
    return null;
  }
}

/** Non-finite numbers are no JSON; Python writes them as NaN or Infinity, which would hide the event from the parser. */
const NOT_A_NUMBER = /:\s*-?(NaN|Infinity)\b/;

/** Runs one attempt to its end. Never resolves while the process lives. */
export async function runTrainer(trainer: TrainerCommand, run: TrainerRun): Promise<TrainerEnd> {
  const limits = run.limits ?? DEFAULT_LIMITS;
  let watch: WatchdogState = { phase: 'starting', lastEventMs: run.clock.nowMs() };
  let end: TrainerEnd | null = null;
  let rejected: unknown;
  let queue = Promise.resolve();
  const lastLines: string[] = [];

  const child = spawnCommand({
    name: `trainer-${run.job.runId}-${run.job.attempt}`,
    homeDir: run.homeDir,
    command: trainer.command,
    args: [...trainer.args, '--job', run.jobPath],
    cwd: trainer.cwd,
    env: { PYTHONUNBUFFERED: '1', HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1', ...trainer.env },
    onLine: (line, stream) => {
      const event = stream === 'stdout' ? parseEvent(line) : null;
      if (event === null) {
        if (stream === 'stdout' && NOT_A_NUMBER.test(line)) {
          end ??= { state: 'failed', kind: 'nan', reason: 'The trainer reported a number that is not finite.' };
          void child.stop(STOP_GRACE_MS);
        }
        lastLines.push(line);
        if (lastLines.length > 8) lastLines.shift();
        run.onLog?.(line);
        return;
      }
      watch = nextState(event, run.clock.nowMs());
      queue = queue.then(() => run.onEvent(event)).catch((error: unknown) => {
        rejected ??= error;
        void child.stop(STOP_GRACE_MS);
      });
      if (event.type === 'done') end ??= { state: 'succeeded', done: event };
      if (event.type === 'failed') end ??= { state: 'failed', kind: event.kind, reason: event.reason };
    },
  });
  const cancel = (): void => {
    end ??= { state: 'cancelled' };
    void child.stop(STOP_GRACE_MS);
  };
  if (run.signal.aborted) cancel();
  run.signal.addEventListener('abort', cancel, { once: true });
  const timer = setInterval(() => {
    const reason = hangReason(watch, limits, run.clock.nowMs());
    if (reason === null) return;
    end ??= { state: 'failed', kind: 'hang', reason };
    void child.stop(STOP_GRACE_MS);
  }, WATCH_EVERY_MS);
  const exit = await child.exited;
  clearInterval(timer);
  run.signal.removeEventListener('abort', cancel);
  await queue;
  if (rejected !== undefined) throw rejected;
  if (end !== null) return end;
  const last = lastLines.at(-1) ?? 'it said nothing';
  return { state: 'failed', kind: 'died', reason: `The trainer ended (${exit.signal ?? `exit ${exit.code}`}): ${last}` };
}

/** The program of this repository, run by the prepared interpreter. */
export function nativeTrainer(interpreter: string, repoDir: string): TrainerCommand {
  const cwd = join(repoDir, 'native', 'trainer');
  const path = [join(cwd), join(cwd, 'src'), join(repoDir, 'native', 'tiny-policy')].join(':');
  return { command: interpreter, args: ['-m', 'ratchet_trainer'], cwd, env: { PYTHONPATH: path } };
}
