import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Started } from '../../apps/ratchet/start.js';
import { eventually } from '../support/eventually.js';
import { cli, rootDir, startInProcess } from '../support/ratchet.js';
import { removeTempDirs } from '../support/temp-dir.js';

const KEY = 'a-key-of-this-test-only';
/** Open on purpose. Gym routes are guarded by tokens of their own. */
const OPEN = new Set(['GET /healthz', 'GET /readyz', 'GET /metrics', 'GET /openapi.json']);

interface Stats {
  spans: number;
  trajectories: number;
  modelCalls: number;
  inputTokens: number;
  outputTokens: number;
  capturedCalls: number;
  capturedPromptTokens: number;
  capturedCompletionTokens: number;
  failures: number;
  buckets: number;
}

let started: Started;

beforeAll(async () => {
  started = await startInProcess({ RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off', RATCHET_API_KEY: KEY });
}, 120_000);

afterAll(async () => {
  await started.stop();
  removeTempDirs();
}, 60_000);

const call = (
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string,
): Promise<Response> =>
  fetch(`${started.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
const bearer = { authorization: `Bearer ${KEY}` };

async function stats(): Promise<Stats> {
  return (await (await call('GET', '/api/v1/stats', bearer)).json()) as Stats;
}

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

/** Every route Express knows, from its own table. */
function routes(): { method: string; path: string }[] {
  const express = started.app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return express.router.stack.flatMap(({ route }) =>
    route === undefined
      ? []
      : Object.keys(route.methods).map((method) => ({ method: method.toUpperCase(), path: route.path })),
  );
}

describe('every route', () => {
  it('answers 401 without the key, but for the few that are open on purpose', async () => {
    const all = routes();
    expect(all.length).toBeGreaterThan(40);
    const open: string[] = [];
    for (const { method, path } of all) {
      const response = await call(method, path.replace(/:(\w+)/g, 'x'), {
        'content-type': 'application/json',
      });
      if (response.status !== 401) open.push(`${method} ${path}`);
    }
    expect(open.filter((route) => !OPEN.has(route))).toEqual([]);
  });

  it.each([
    ['GET', '/api/v1/nothing-here', 404],
    ['GET', '/api/v1/buckets?nonsense=1', 400],
    ['GET', '/api/v1/trajectories?limit=0', 400],
    ['GET', '/api/v1/cycles?cursor=@@', 400],
    ['GET', '/api/v1/cycles/no-such-cycle', 404],
    ['POST', '/api/v1/import?format=nonsense', 400],
    ['POST', '/api/v1/deployments/rollback', 409],
  ])('%s %s is answered %i with a problem document', async (method, path, status) => {
    const body = method === 'POST' ? '{}' : undefined;
    const response = await call(method, path, { ...bearer, 'content-type': 'application/json' }, body);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/application\/problem\+json/);
    expect(await response.json()).toMatchObject({ status, detail: expect.stringMatching(/\S/) });
  });

  it('refuses a body that is not JSON, or too large, with a problem document', async () => {
    const broken = await call(
      'POST',
      '/api/v1/cycles',
      { ...bearer, 'content-type': 'application/json' },
      '{"a":',
    );
    expect(broken.status).toBe(400);
    const large = JSON.stringify({ recipe: 'x'.repeat(5_000_000) });
    const refused = await call(
      'POST',
      '/api/v1/cycles',
      { ...bearer, 'content-type': 'application/json' },
      large,
    );
    expect(refused.status).toBe(413);
    expect(await refused.json()).toMatchObject({ status: 413 });
  });

  it('says which agents are served, and refuses an unknown model in plain words', async () => {
    const models = (await (await call('GET', '/v1/models', bearer)).json()) as { data: { id: string }[] };
    expect(models.data.map((model) => model.id)).toEqual(['workplace-assistant']);
    const body = JSON.stringify({ model: 'nobody', messages: [{ role: 'user', content: 'hi' }] });
    const response = await call(
      'POST',
      '/v1/chat/completions',
      { ...bearer, 'content-type': 'application/json' },
      body,
    );
    expect(response.status).toBe(404);
  });
});

it('is described by the committed openapi.json (npm run docs:openapi writes it anew)', async () => {
  const committed: unknown = JSON.parse(readFileSync(join(rootDir, 'openapi.json'), 'utf8'));
  expect(await (await call('GET', '/openapi.json')).json()).toEqual(committed);
});

describe('the demo agent', () => {
  it('is counted alike by the gateway, the traces and the policy server itself, and its failures reach buckets', async () => {
    const own = async () =>
      (await started.runtime.policyServer.stats()).models[0] ?? {
        requests: 0,
        promptTokens: 0,
        completionTokens: 0,
      };
    const before = await own();
    const script = join(rootDir, 'dist', 'examples', 'workplace', 'agent.js');
    const agent = spawn(process.execPath, [script, '--rate', '8', '--seed', '5'], {
      env: { ...process.env, NODE_OPTIONS: '', OPENAI_BASE_URL: started.url, OPENAI_API_KEY: KEY },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await eventually('enough calls were made', async () => (await stats()).capturedCalls > 60, 60_000);
    const ended = new Promise((resolve) => agent.once('close', resolve));
    agent.stdin.end();
    await ended;
    const settled = await eventually(
      'every captured call is a step of a complete trajectory',
      async () => {
        const now = await stats();
        return now.modelCalls === now.capturedCalls ? now : null;
      },
      120_000,
    );
    const after = await own();
    expect(settled.capturedCalls).toBe(after.requests - before.requests);
    expect(settled.capturedPromptTokens).toBe(after.promptTokens - before.promptTokens);
    expect(settled.capturedCompletionTokens).toBe(after.completionTokens - before.completionTokens);
    expect(settled.inputTokens).toBe(settled.capturedPromptTokens);
    expect(settled.outputTokens).toBe(settled.capturedCompletionTokens);
    await eventually('failures are in buckets', async () => (await stats()).buckets > 0, 60_000);
  }, 240_000);
});

const data = join(rootDir, '..', 'shared', 'data');
const tau = join(data, 'tau-bench-airline');
const describeWithData = existsSync(tau) ? describe : describe.skip;

describeWithData('real runs from files', () => {
  it('go through collector, triage and buckets to eval cases and a next-action environment, no row lost in silence', async () => {
    const file = join(tau, readdirSync(tau).find((name) => name.endsWith('.json.gz')) ?? 'missing');
    const rows = (JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as unknown[]).length;
    const ended = await cli({ url: started.url, key: KEY }, 'import', file, '--json');
    expect(ended).toMatchObject({ code: 0 });
    const answer = JSON.parse(ended.output.slice(ended.output.indexOf('{'))) as {
      files: Record<string, { accepted: number; rejected: unknown[] }>;
      loop: { buckets: number; evalCases: number; ready: number; environments: string[] };
    };
    const verdict = Object.values(answer.files)[0];
    expect((verdict?.accepted ?? 0) + (verdict?.rejected.length ?? 0)).toBe(rows);
    expect(verdict?.accepted).toBe(rows);
    expect(answer.loop.buckets).toBeGreaterThan(0);
    expect(answer.loop.evalCases).toBeGreaterThan(0);
    if (answer.loop.ready > 0) expect(answer.loop.environments.length).toBeGreaterThan(0);
    const projects = (await (await call('GET', '/api/v1/projects', bearer)).json()) as {
      items: { projectId: string; trajectories: number }[];
    };
    expect(projects.items.find((one) => one.projectId === 'imported')?.trajectories).toBe(rows);
  }, 240_000);
});
