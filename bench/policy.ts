/**
 * How fast the embedded policy server is on this machine: `npm run bench:policy`.
 * Two tables: full-length answers (decoding speed, as the batch grows) and real turns of the demo's tasks (latency of a call).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';

import { workplaceEnvironment } from '#examples/workplace';
import { PolicyServer } from '#platform/onnx';

const POLICY_DIR = join(process.cwd(), 'native/tiny-policy/policy');
const CONCURRENCY = [1, 8, 32, 64];
const FULL_TOKENS = 48;

interface Measured {
  latenciesMs: number[];
  tokens: number;
  elapsedMs: number;
}

const environment = workplaceEnvironment();
const tasks = environment.tasks({ split: 'train', count: 640, seed: 1 });

async function call(server: PolicyServer, index: number, extra: Record<string, unknown>): Promise<number> {
  const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body: JSON.stringify({
      model: server.baseModel,
      messages: tasks[index % tasks.length]?.messages,
      tools: environment.tools,
      seed: index,
      ...extra,
    }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const body = (await response.json()) as { usage: { completion_tokens: number } };
  return body.usage.completion_tokens;
}

/** `count` calls by `concurrency` callers, each of whom sends its next one when it has its answer. */
async function measure(
  server: PolicyServer,
  load: { concurrency: number; count: number; extra: Record<string, unknown> },
): Promise<Measured> {
  const latenciesMs: number[] = [];
  let tokens = 0;
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < load.count) {
      const started = performance.now();
      const used = await call(server, next++, load.extra);
      tokens += used;
      latenciesMs.push(performance.now() - started);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: load.concurrency }, caller));
  return { latenciesMs: latenciesMs.sort((a, b) => a - b), tokens, elapsedMs: performance.now() - started };
}

function row(concurrency: number, { latenciesMs, tokens, elapsedMs }: Measured): Record<string, number> {
  const at = (share: number): number => latenciesMs[Math.ceil(share * latenciesMs.length) - 1] ?? Number.NaN;
  return {
    concurrency,
    calls: latenciesMs.length,
    'tokens/call': Math.round((10 * tokens) / latenciesMs.length) / 10,
    'tokens/s': Math.round((1000 * tokens) / elapsedMs),
    'calls/s': Math.round((1000 * latenciesMs.length) / elapsedMs),
    'p50 ms': Math.round(10 * at(0.5)) / 10,
    'p95 ms': Math.round(10 * at(0.95)) / 10,
  };
}

async function table(server: PolicyServer, extra: Record<string, unknown>): Promise<void> {
  const rows: Record<string, number>[] = [];
  for (const concurrency of CONCURRENCY) {
    const count = Math.max(60, 10 * concurrency);
    rows.push(row(concurrency, await measure(server, { concurrency, count, extra })));
  }
  console.table(rows);
}

const homeDir = mkdtempSync(join(tmpdir(), 'bench-policy-'));
const threads = Number(process.argv[2] ?? 2);
const server = await PolicyServer.start({ homeDir, policyDir: POLICY_DIR, threads });
try {
  console.log(`${server.baseModel}, ${threads} threads of ${availableParallelism()} cores`);
  await measure(server, { concurrency: 8, count: 100, extra: {} });
  console.log(`answers of ${FULL_TOKENS} tokens`);
  await table(server, { ignore_eos: true, max_tokens: FULL_TOKENS });
  console.log('first turns of the demo');
  await table(server, {});
} finally {
  await server.stop();
  rmSync(homeDir, { recursive: true, force: true });
}
