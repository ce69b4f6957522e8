/** Runs native/trainer once: starts it, reads its events, watches it, and always ends in a named state. */
import { join } from 'node:path';
import { TrainerEvent, type TrainingJob } from '#contracts/training-job';
import type { Clock } from '#kernel/clock';
import { spawnCommand, type ChildHandle } from '#platform/process';
import {
  DEFAULT_LIMITS,
  hangReason,
  nextState,
  type WatchdogLimits,
  type WatchdogState,
} from './domain/watchdog.js';

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

/** One attempt: reads the trainer's lines, keeps the first end that was decided, and stops the process when it must. */
class Attempt {
  private watch: WatchdogState;
  private end: TrainerEnd | null = null;
  private rejected: Error | null = null;
  private writes = Promise.resolve();
  private readonly lastLines: string[] = [];
  private readonly child: ChildHandle;

  constructor(
    trainer: TrainerCommand,
    private readonly run: TrainerRun,
  ) {
    this.watch = { phase: 'starting', lastEventMs: run.clock.nowMs() };
    this.child = spawnCommand({
      name: `trainer-${run.job.runId}-${run.job.attempt}`,
      homeDir: run.homeDir,
      command: trainer.command,
      args: [...trainer.args, '--job', run.jobPath],
      cwd: trainer.cwd,
      env: { PYTHONUNBUFFERED: '1', HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1', ...trainer.env },
      onLine: (line, stream) => this.onLine(line, stream),
    });
  }

  async finish(): Promise<TrainerEnd> {
    const cancel = (): void => this.stopAs({ state: 'cancelled' });
    if (this.run.signal.aborted) cancel();
    this.run.signal.addEventListener('abort', cancel, { once: true });
    const timer = setInterval(() => this.checkHang(), WATCH_EVERY_MS);
    const exit = await this.child.exited;
    clearInterval(timer);
    this.run.signal.removeEventListener('abort', cancel);
    await this.writes;
    if (this.rejected !== null) throw this.rejected;
    if (this.end !== null) return this.end;
    const last = this.lastLines.at(-1) ?? 'it said nothing';
    const how = exit.signal ?? `exit ${exit.code}`;
    return { state: 'failed', kind: 'died', reason: `The trainer ended (${how}): ${last}` };
  }

  private onLine(line: string, stream: 'stdout' | 'stderr'): void {
    const event = stream === 'stdout' ? parseEvent(line) : null;
    if (event !== null) return this.onEvent(event);
    if (stream === 'stdout' && NOT_A_NUMBER.test(line)) {
      this.stopAs({
        state: 'failed',
        kind: 'nan',
        reason: 'The trainer reported a number that is not finite.',
      });
    }
    this.lastLines.push(line);
    if (this.lastLines.length > 8) this.lastLines.shift();
    this.run.onLog?.(line);
  }

  private onEvent(event: TrainerEvent): void {
    this.watch = nextState(event, this.run.clock.nowMs());
    this.writes = this.writes
      .then(() => this.run.onEvent(event))
      .catch((error: unknown) => {
        this.rejected ??= error instanceof Error ? error : new Error(String(error));
        void this.child.stop(STOP_GRACE_MS);
      });
    if (event.type === 'done') this.end ??= { state: 'succeeded', done: event };
    if (event.type === 'failed') this.end ??= { state: 'failed', kind: event.kind, reason: event.reason };
  }

  private checkHang(): void {
    const reason = hangReason(this.watch, this.run.limits ?? DEFAULT_LIMITS, this.run.clock.nowMs());
    if (reason !== null) this.stopAs({ state: 'failed', kind: 'hang', reason });
  }

  private stopAs(end: TrainerEnd): void {
    this.end ??= end;
    void this.child.stop(STOP_GRACE_MS);
  }
}

/** Runs one attempt to its end. Never resolves while the process lives. */
export function runTrainer(trainer: TrainerCommand, run: TrainerRun): Promise<TrainerEnd> {
  return new Attempt(trainer, run).finish();
}

/** The program of this repository, run by the prepared interpreter. */
export function nativeTrainer(interpreter: string, repoDir: string): TrainerCommand {
  const cwd = join(repoDir, 'native', 'trainer');
  const path = [join(cwd), join(cwd, 'src'), join(repoDir, 'native', 'tiny-policy')].join(':');
  return { command: interpreter, args: ['-m', 'ratchet_trainer'], cwd, env: { PYTHONPATH: path } };
}
