import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { isAlive, listChildRecords } from '#platform/process';

import { PolicyServer } from './index.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));
const ADAPTER = join(FIXTURES, 'adapter');
const expected = JSON.parse(readFileSync(join(FIXTURES, 'expected.json'), 'utf8')) as {
  chats: { messages: unknown[]; ids: number[] }[];
  steps: number;
  greedy: number[][];
  greedyText: string[];
  adapterGreedy: number[][];
};

interface Completion {
  id: string;
  model: string;
  choices: {
    message: { content: string | null };
    finish_reason: string;
    token_ids: number[];
    logprobs: { content: { logprob: number }[] } | null;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error: { message: string; type: string; code: string; param: string | null };
}

let homeDir: string;
let server: PolicyServer;

beforeAll(async () => {
  homeDir = mkdtempSync(join(tmpdir(), 'policy-server-'));
  server = await PolicyServer.start({
    homeDir,
    policyDir: join(FIXTURES, 'policy'),
    threads: 1,
    maxPending: 40,
  });
});
afterAll(async () => {
  await server.stop();
  rmSync(homeDir, { recursive: true, force: true });
});

async function post(
  body: Record<string, unknown>,
  options: { key?: string; signal?: AbortSignal } = {},
): Promise<{ status: number; headers: Headers; body: Completion }> {
  const response = await fetch(`${server.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${options.key ?? server.key}` },
    body: JSON.stringify(body),
    ...(options.signal && { signal: options.signal }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Completion };
}

const chat = (index: number, more: Record<string, unknown> = {}): Record<string, unknown> => ({
  model: server.baseModel,
  messages: expected.chats[index]?.messages,
  temperature: 0,
  max_tokens: expected.steps,
  return_token_ids: true,
  ...more,
});
const requestsOf = async (model: string): Promise<number> =>
  (await server.stats()).models.find((counts) => counts.model === model)?.requests ?? 0;

describe('chat completions', () => {
  it('answer with the policy that served, its tokens, text and usage', async () => {
    const { status, body } = await post(chat(1, { logprobs: true }));
    expect(status).toBe(200);
    expect(body.model).toBe('random-policy@1');
    expect(body.id).toMatch(/^chatcmpl-[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(body.choices[0]).toMatchObject({
      message: { role: 'assistant', content: expected.greedyText[1] },
      finish_reason: 'length',
      token_ids: expected.greedy[1],
    });
    expect(body.choices[0]?.logprobs?.content).toHaveLength(expected.steps);
    const promptTokens = expected.chats[1]?.ids.length ?? 0;
    expect(body.usage).toEqual({
      prompt_tokens: promptTokens,
      completion_tokens: expected.steps,
      total_tokens: promptTokens + expected.steps,
    });
  });

  it('have unique ids and are counted whole by the server', async () => {
    const before = (await server.stats()).models[0];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => post(chat(i % 4, { temperature: 1 }))),
    );
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(20);
    const after = (await server.stats()).models[0];
    expect((after?.requests ?? 0) - (before?.requests ?? 0)).toBe(20);
    const completionTokens = answers.reduce((sum, answer) => sum + answer.body.usage.completion_tokens, 0);
    expect((after?.completionTokens ?? 0) - (before?.completionTokens ?? 0)).toBe(completionTokens);
  });

  it('repeat themselves for the same seed, also in a crowd', async () => {
    const alone = await post(chat(0, { temperature: 1, seed: 7 }));
    const crowd = await Promise.all([1, 7, 2, 3].map((seed) => post(chat(0, { temperature: 1, seed }))));
    expect(crowd[1]?.body.choices[0]?.token_ids).toEqual(alone.body.choices[0]?.token_ids);
    expect(crowd[0]?.body.choices[0]?.token_ids).not.toEqual(alone.body.choices[0]?.token_ids);
  });

  it('are refused with a clear reason where they cannot be honoured', async () => {
    const refusals = await Promise.all([
      post(chat(0), { key: 'wrong' }),
      post(chat(0, { model: 'other' })),
      post(chat(0, { stream: true })),
      post(chat(0, { n: 2 })),
      post(chat(0, { messages: [] })),
      post(chat(0, { max_tokens: 250 })),
      post(chat(0, { messages: [{ role: 'user', content: 'far too long '.repeat(200) }] })),
    ]);
    expect(refusals.map(({ status }) => status)).toEqual([401, 404, 400, 400, 400, 400, 400]);
    expect(refusals.map(({ body }) => body.error.message).join('\n')).toMatch(
      /key[^]*other does not exist[^]*stream[^]*one choice[^]*messages[^]*context length is 256[^]*context length is 256/,
    );
    expect(refusals.every(({ body }) => body.error.type.length > 0 && body.error.code.length > 0)).toBe(true);
  });

  it('beyond the queue are refused with a time to try again, the others are answered', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => post(chat(0, { max_tokens: 200 }))));
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.every(({ headers }) => headers.get('retry-after') === '1')).toBe(true);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(60 - refused.length);
    expect((await server.stats()).inFlight).toBe(0);
  });

  it('whose caller leaves free their place and are not counted', async () => {
    const before = await requestsOf(server.baseModel);
    const leave = new AbortController();
    const given = post(chat(0, { max_tokens: 200 }), { signal: leave.signal });
    while ((await server.stats()).inFlight === 0);
    leave.abort();
    await expect(given).rejects.toThrow();
    while ((await server.stats()).inFlight > 0);
    expect(await requestsOf(server.baseModel)).toBe(before);
  });
});

describe('adapters', () => {
  it('are served under their name beside the base, and not after unloading', async () => {
    await server.loadAdapter('adapter-a', ADAPTER);
    await server.loadAdapter('adapter-a', ADAPTER);
    expect(await server.models()).toEqual([
      { id: 'random-policy@1', root: join(FIXTURES, 'policy'), parent: null },
      { id: 'adapter-a', root: ADAPTER, parent: 'random-policy@1' },
    ]);
    const [adapted, plain] = await Promise.all([post(chat(0, { model: 'adapter-a' })), post(chat(0))]);
    expect(adapted.body.model).toBe('adapter-a');
    expect(adapted.body.choices[0]?.token_ids).toEqual(expected.adapterGreedy[0]);
    expect(plain.body.choices[0]?.token_ids).toEqual(expected.greedy[0]);
    await server.unloadAdapter('adapter-a');
    expect((await post(chat(0, { model: 'adapter-a' }))).status).toBe(404);
    expect(await requestsOf('adapter-a')).toBe(1);
    await expect(server.unloadAdapter('adapter-a')).rejects.toThrow(/No adapter/);
  });

  it('are refused without their files, with a broken graph, under a name in use, or one too many', async () => {
    const broken = join(homeDir, 'broken');
    cpSync(ADAPTER, broken, { recursive: true });
    writeFileSync(join(broken, 'policy.onnx'), 'no graph');
    await expect(server.loadAdapter('x', join(homeDir, 'nowhere'))).rejects.toThrow(/lacks .*policy\.onnx/);
    await expect(server.loadAdapter('x', broken)).rejects.toThrow(/cannot be served/);
    await expect(server.loadAdapter('random-policy@1', ADAPTER)).rejects.toThrow(/cannot name/);
    for (const name of ['a', 'b', 'c', 'd']) await server.loadAdapter(name, ADAPTER);
    await expect(server.loadAdapter('e', ADAPTER)).rejects.toThrow(/4 adapters are loaded/);
    await expect(server.loadAdapter('a', broken)).rejects.toThrow(/in use/);
    for (const name of ['a', 'b', 'c', 'd']) await server.unloadAdapter(name);
    expect(await server.models()).toHaveLength(1);
  });
});

describe('the server', () => {
  it('open no channel to the maker of the runtime, which logs one beside its process', async () => {
    const child = listChildRecords(homeDir).find((record) => isAlive(record.pid, record.startToken));
    expect(child).toBeDefined();
    expect(existsSync(join(tmpdir(), `mat-debug-${child?.pid}.log`))).toBe(false);
  });

  it('tells its health to anyone, the rest to holders of the key', async () => {
    const open = async (path: string): Promise<number> => (await fetch(`${server.baseUrl}${path}`)).status;
    expect([
      await open('/healthz'),
      await open('/v1/models'),
      await open('/stats'),
      await open('/x'),
    ]).toEqual([200, 401, 401, 401]);
  });

  it('says why it cannot start', async () => {
    const policyDir = join(homeDir, 'empty');
    await expect(PolicyServer.start({ homeDir, policyDir, name: 'second' })).rejects.toThrow(/tokenizer/);
  });
});
