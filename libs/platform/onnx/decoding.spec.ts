/** @jest-environment ./libs/platform/onnx/fixtures/jest-environment.mjs */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { BatchScheduler } from './batch-scheduler.js';
import type { GenerationRequest } from './decode-lane.js';
import { KvModel } from './kv-model.js';
import { assembleRows } from './kv-rows.js';
import { likeliest } from './sampler.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
const expected = JSON.parse(readFileSync(`${FIXTURES}expected.json`, 'utf8')) as {
  chats: { ids: number[] }[];
  steps: number;
  greedy: number[][];
  adapterGreedy: number[][];
  firstLogits: number[];
};
const prompts = expected.chats.map((chat) => chat.ids);
const STOP = 1;

let base: KvModel;
let adapter: KvModel;
let scheduler: BatchScheduler;

beforeEach(async () => {
  base = await KvModel.load(`${FIXTURES}policy/model.onnx`, 1);
  adapter = await KvModel.load(`${FIXTURES}adapter/policy.onnx`, 1);
  scheduler = new BatchScheduler({ stopId: STOP, maxBatch: 8, maxPending: 100 });
  scheduler.add('base', base);
  scheduler.add('adapter', adapter);
});

const greedy = (prompt: readonly number[], maxTokens = expected.steps): GenerationRequest => ({
  prompt,
  maxTokens,
  sampling: { temperature: 0, topP: 1 },
  seed: 0,
  logprobs: false,
});
const sampled = (prompt: readonly number[], seed: number, maxTokens = 30): GenerationRequest => ({
  ...greedy(prompt, maxTokens),
  sampling: { temperature: 1.3, topP: 0.9 },
  seed,
});
const tokensOf = async (model: string, request: GenerationRequest): Promise<number[]> =>
  (await scheduler.generate(model, request)).tokens;

describe('the graph', () => {
  it('gives the logits of transformers', async () => {
    const { logits } = await base.prefill([prompts[0] ?? []]);
    const worst = Math.max(
      ...expected.firstLogits.map((want, i) => Math.abs(want - (logits[0]?.[i] ?? NaN))),
    );
    expect(worst).toBeLessThan(1e-3);
  });

  it('goes on alike from rows that were cut out of two batches and joined', async () => {
    const [a, b, c] = prompts as [number[], number[], number[]];
    const together = await base.prefill([a, b]);
    const alone = await base.prefill([c]);
    const joined = assembleRows(base.shape, [
      { from: alone.rows, row: 0 },
      { from: together.rows, row: 0 },
    ]);
    expect([joined.rows, joined.width, joined.pads]).toEqual([2, c.length, [0, c.length - a.length]]);
    const next = [likeliest(alone.logits[0] as Float32Array), likeliest(together.logits[0] as Float32Array)];
    const after = await base.step(joined, next);
    const whole = await base.prefill([[...a, next[1] as number]]);
    const gap = Math.max(
      ...(whole.logits[0] as Float32Array).map((x, i) => Math.abs(x - (after.logits[1]?.[i] ?? NaN))),
    );
    expect(gap).toBeLessThan(1e-4);
  });
});

describe('the scheduler', () => {
  it('gives the greedy outputs of transformers, base and adapter, one by one', async () => {
    for (const [i, prompt] of prompts.entries()) {
      expect(await tokensOf('base', greedy(prompt))).toEqual(expected.greedy[i]);
      expect(await tokensOf('adapter', greedy(prompt))).toEqual(expected.adapterGreedy[i]);
    }
  });

  it('gives the same greedy outputs in one batch, models interleaved', async () => {
    const both = await Promise.all([
      ...prompts.map((prompt) => tokensOf('base', greedy(prompt))),
      ...prompts.map((prompt) => tokensOf('adapter', greedy(prompt))),
    ]);
    expect(both).toEqual([...expected.greedy, ...expected.adapterGreedy]);
  });

  it('draws the same tokens for a request and seed alone and among others that come and go', async () => {
    const requests = Array.from({ length: 24 }, (_, i) =>
      sampled(prompts[i % prompts.length] ?? [], 100 + i, 3 + ((i * 7) % 28)),
    );
    const alone: number[][] = [];
    for (const request of requests) alone.push(await tokensOf('base', request));
    const crowd = await Promise.all(requests.map((request) => tokensOf('base', request)));
    expect(crowd).toEqual(alone);
    expect(new Set(alone.map((tokens) => tokens.join(' '))).size).toBeGreaterThan(20);
  });

  it('draws other tokens for another seed', async () => {
    const prompt = prompts[1] ?? [];
    expect(await tokensOf('base', sampled(prompt, 1))).not.toEqual(
      await tokensOf('base', sampled(prompt, 2)),
    );
  });

  it('stops at the end token with reason stop and at the limit with reason length', async () => {
    const first = expected.greedy[0] as number[];
    const early = new BatchScheduler({ stopId: first[4] as number, maxBatch: 8, maxPending: 9 });
    early.add('base', base);
    const ended = await early.generate('base', greedy(prompts[0] ?? []));
    expect(ended).toMatchObject({ finishReason: 'stop', tokens: first.slice(0, 5) });
    const cut = await scheduler.generate('base', greedy(prompts[0] ?? [], 3));
    expect(cut).toMatchObject({ finishReason: 'length', tokens: first.slice(0, 3) });
  });

  it('reports log-probabilities that belong to the drawn tokens', async () => {
    const { tokens, logprobs } = await scheduler.generate('base', {
      ...greedy(prompts[0] ?? [], 4),
      logprobs: true,
    });
    const logits = expected.firstLogits;
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    expect(logprobs).toHaveLength(4);
    expect(logprobs[0]).toBeCloseTo((logits[tokens[0] as number] as number) - Math.log(total), 3);
  });

  it('refuses what does not fit into the queue and forgets a request whose caller left', async () => {
    const small = new BatchScheduler({ stopId: STOP, maxBatch: 2, maxPending: 2 });
    small.add('base', base);
    const left = new AbortController();
    const kept = small.generate('base', greedy(prompts[0] ?? []));
    const given = small.generate('base', { ...greedy(prompts[1] ?? []), signal: left.signal });
    await expect(small.generate('base', greedy(prompts[0] ?? []))).rejects.toMatchObject({
      code: 'policy.unavailable',
    });
    left.abort();
    await expect(given).rejects.toThrow(/given up/);
    expect((await kept).tokens).toEqual(expected.greedy[0]);
    expect(small.pending).toBe(0);
  });

  it('lets a model that is taken away finish its requests, and no new one', async () => {
    const running = tokensOf('adapter', greedy(prompts[0] ?? []));
    await scheduler.remove('adapter');
    await expect(tokensOf('adapter', greedy(prompts[0] ?? []))).rejects.toMatchObject({
      code: 'resource.not_found',
    });
    expect(await running).toEqual(expected.adapterGreedy[0]);
  });
});
