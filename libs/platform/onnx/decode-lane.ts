import { AppError } from '#kernel/errors';
import { seededRng, type Rng } from '#kernel/random';

import type { KvModel, KvOutput } from './kv-model.js';
import { assembleRows, type KvRow, type KvRows } from './kv-rows.js';
import { drawToken, logProbability, type Sampling } from './sampler.js';

export interface GenerationRequest {
  /** Token ids; at least one. */
  prompt: readonly number[];
  /** At least 1. */
  maxTokens: number;
  sampling: Sampling;
  /** Same request, same seed: same tokens, whatever else is decoded beside it. */
  seed: number;
  logprobs: boolean;
  /** Goes on to `maxTokens` past the end token: for measuring speed. */
  ignoreEnd?: boolean;
  /** Aborted when nobody waits for the answer any more. */
  signal?: AbortSignal;
}

export interface Generation {
  /** The end token included, where it came. */
  tokens: number[];
  finishReason: 'stop' | 'length';
  /** Natural logs, one a token, when asked for. */
  logprobs: number[];
}

/** A request under way. */
interface Job {
  request: GenerationRequest;
  rng: Rng;
  tokens: number[];
  logprobs: number[];
  done: boolean;
  resolve(generation: Generation): void;
  reject(error: Error): void;
}

/** Newcomers join a running batch at every so many steps: each join copies the batch's memory once. */
const STEPS_BETWEEN_JOINS = 4;
/** Finished rows are carried along until this share of the batch is idle: dropping them copies the batch's memory. */
const IDLE_SHARE = 0.25;

/**
 * Decodes the requests of one model as one growing and shrinking batch. `advance` does one step; whoever owns several lanes
 * gives them turns.
 */
export class DecodeLane {
  private waiting: Job[] = [];
  private running: Job[] = [];
  private rows: KvRows | null = null;
  private stepsSinceJoin = 0;

  constructor(
    private readonly model: KvModel,
    private readonly options: { stopId: number; maxBatch: number },
  ) {}

  get pending(): number {
    return this.waiting.length + this.running.filter((job) => !job.done).length;
  }

  generate(request: GenerationRequest): Promise<Generation> {
    return new Promise((resolve, reject) => {
      const rng = seededRng(request.seed);
      this.waiting.push({ request, rng, tokens: [], logprobs: [], done: false, resolve, reject });
    });
  }

  /** Lets newcomers in or decodes one token of each running request. A failure of the model fails all of its requests. */
  async advance(): Promise<void> {
    this.dropAborted();
    try {
      if (this.mayJoin()) await this.join();
      else if (this.rows) await this.step(this.rows);
    } catch (cause) {
      this.fail(new AppError('internal', { public: 'The policy could not be run.', cause }));
    }
  }

  async release(): Promise<void> {
    this.fail(new AppError('policy.unavailable', { public: 'The policy is being unloaded.' }));
    await this.model.release();
  }

  private mayJoin(): boolean {
    if (this.waiting.length === 0) return false;
    if (!this.rows) return true;
    return (
      this.stepsSinceJoin >= STEPS_BETWEEN_JOINS && this.pending - this.waiting.length < this.options.maxBatch
    );
  }

  private async join(): Promise<void> {
    const old = this.runningParts();
    const newcomers = this.waiting.splice(0, this.options.maxBatch - old.length);
    // They are this lane's responsibility from here on, also when the model fails.
    const before = this.running;
    this.running = [...before, ...newcomers];
    const output = await this.model.prefill(newcomers.map((job) => job.request.prompt));
    this.take(newcomers, output);
    const fresh = partsOf(newcomers, output.rows);
    this.setRows([...old.filter(({ job }) => !job.done), ...fresh]);
    this.stepsSinceJoin = 0;
  }

  private async step(rows: KvRows): Promise<void> {
    const output = await this.model.step(
      rows,
      this.running.map((job) => job.tokens.at(-1) ?? this.options.stopId),
    );
    this.stepsSinceJoin += 1;
    this.rows = output.rows;
    this.take(this.running, output);
    const idle = this.running.filter((job) => job.done).length;
    if (idle > 0 && idle >= IDLE_SHARE * this.running.length) this.setRows(this.runningParts());
  }

  private take(jobs: readonly Job[], output: KvOutput): void {
    jobs.forEach((job, row) => {
      const logits = output.logits[row];
      if (!job.done && logits) takeToken(job, logits, this.options.stopId);
    });
  }

  private runningParts(): LanePart[] {
    return this.rows ? partsOf(this.running, this.rows) : [];
  }

  private setRows(parts: readonly LanePart[]): void {
    this.running = parts.map((part) => part.job);
    this.rows = parts.length > 0 ? assembleRows(this.model.shape, parts) : null;
  }

  private dropAborted(): void {
    const aborted = (job: Job): boolean => job.request.signal?.aborted === true && !job.done;
    for (const job of [...this.waiting, ...this.running].filter(aborted)) failJob(job, abortError());
    this.waiting = this.waiting.filter((job) => !job.done);
    if (this.rows && this.running.every((job) => job.done)) this.setRows([]);
  }

  private fail(error: Error): void {
    for (const job of [...this.waiting, ...this.running]) failJob(job, error);
    this.waiting = [];
    this.running = [];
    this.rows = null;
  }
}

type LanePart = KvRow & { job: Job };

/** The rows of the jobs that go on. */
function partsOf(jobs: readonly Job[], from: KvRows): LanePart[] {
  return jobs.flatMap((job, row) => (job.done ? [] : [{ job, from, row }]));
}

function takeToken(job: Job, logits: Float32Array, stopId: number): void {
  const { request, tokens } = job;
  try {
    const token = drawToken(logits, request.sampling, job.rng);
    tokens.push(token);
    if (request.logprobs) job.logprobs.push(logProbability(logits, token));
    const ended = token === stopId && request.ignoreEnd !== true;
    if (!ended && tokens.length < request.maxTokens) return;
    job.done = true;
    job.resolve({ tokens, logprobs: job.logprobs, finishReason: ended ? 'stop' : 'length' });
  } catch (cause) {
    failJob(job, new AppError('internal', { public: 'The policy gave an output that is no text.', cause }));
  }
}

function failJob(job: Job, error: Error): void {
  if (job.done) return;
  job.done = true;
  job.reject(error);
}

function abortError(): AppError {
  return new AppError('request.invalid', { public: 'The request was given up by the caller.' });
}
