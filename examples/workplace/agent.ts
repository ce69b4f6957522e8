/**
 * The workplace assistant as an ordinary program: it works on tasks over its own tables with a model at a base URL and
 * reports its runs by OpenTelemetry. It knows nothing of who serves the model or reads the spans.
 *
 *   OPENAI_BASE_URL=http://127.0.0.1:4100 OPENAI_API_KEY=… node dist/examples/workplace/agent.js [--rate 3] [--seed 1] [--split train]
 *
 * It ends when its standard input closes or on SIGTERM, after at most a few seconds, and prints its counts as one JSON line.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Split, type EnvironmentTask } from '#contracts/environment';
import type { ModelEndpoint } from './agent-chat.js';
import { SpanExporter } from './agent-exporter.js';
import { pauseMs } from './agent-pace.js';
import { runAgent, type AgentRun } from './agent-run.js';
import { spansOf } from './agent-spans.js';
import { workplaceEnvironment } from './environment.js';

interface Settings {
  endpoint: ModelEndpoint;
  /** Runs started a second. */
  rate: number;
  seed: number;
  split: Split;
}

const MOST_RUNS_AT_ONCE = 16;
const TASKS_A_DRAW = 90;
const LAST_RUNS_MS = 2_000;
const LAST_SPANS_MS = 3_000;

const originNs = BigInt(Date.now()) * 1_000_000n - process.hrtime.bigint();
const nowNs = (): bigint => originNs + process.hrtime.bigint();
const ids = {
  traceId: () => randomBytes(16).toString('hex'),
  spanId: () => randomBytes(8).toString('hex'),
};

function readSettings(): Settings {
  const { values } = parseArgs({
    options: {
      'base-url': { type: 'string' },
      rate: { type: 'string', default: '3' },
      seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
      split: { type: 'string', default: 'train' },
    },
  });
  // eslint-disable-next-line no-restricted-properties -- a program of a user's own reads its own environment
  const { OPENAI_BASE_URL, OPENAI_API_KEY } = process.env;
  const baseUrl = values['base-url'] ?? OPENAI_BASE_URL;
  const rate = Number(values.rate);
  const seed = Number(values.seed);
  if (baseUrl === undefined) throw new Error('Set OPENAI_BASE_URL or give --base-url.');
  if (!(rate > 0)) throw new Error('--rate must be a number of runs a second above 0.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  return {
    endpoint: { baseUrl: baseUrl.replace(/\/(v1\/?)?$/, ''), key: OPENAI_API_KEY },
    rate,
    seed,
    split: Split.parse(values.split),
  };
}

const environment = workplaceEnvironment();

function* tasksOf({ split, seed }: Settings): Generator<EnvironmentTask> {
  for (let draw = 0; ; draw++)
    yield* environment.tasks({ split, suite: 'traffic', count: TASKS_A_DRAW, seed: seed + draw });
}

/** Resolves when the program is to end. */
function untilTold(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve).resume();
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

async function main(): Promise<void> {
  const settings = readSettings();
  const { endpoint } = settings;
  const exporter = new SpanExporter(endpoint);
  const counts = { runs: 0, succeeded: 0, failed: 0, unjudged: 0, modelCalls: 0, toolCalls: 0 };
  const running = new Set<Promise<void>>();
  let busyWith: string | null = null;
  let ending = false;
  const told = untilTold().then(() => {
    ending = true;
  });

  const finishRun = (run: AgentRun): void => {
    counts.runs += 1;
    if (run.success === null) counts.unjudged += 1;
    else if (run.success) counts.succeeded += 1;
    else counts.failed += 1;
    for (const event of run.events) counts[event.kind === 'chat' ? 'modelCalls' : 'toolCalls'] += 1;
    exporter.add(spansOf(run, environment.tools, ids));
  };
  const onAnswer = (answer: { busyWith: string | null }): void => {
    busyWith = answer.busyWith;
  };
  const parts = { environment, endpoint, nowNs, onAnswer };

  for (const task of tasksOf(settings)) {
    while (!ending && (running.size >= MOST_RUNS_AT_ONCE || exporter.isFull))
      await Promise.race([told, delay(50)]);
    if (ending) break;
    const run: Promise<void> = runAgent(parts, task, randomUUID()).then(finishRun);
    running.add(run);
    void run.finally(() => running.delete(run));
    await Promise.race([told, delay(pauseMs(settings.rate, busyWith))]);
  }
  await Promise.race([Promise.all(running), delay(LAST_RUNS_MS)]);
  const unfinishedRuns = running.size;
  await exporter.finish(LAST_SPANS_MS);
  console.log(JSON.stringify({ ...counts, unfinishedRuns, ...exporter.counts }));
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
