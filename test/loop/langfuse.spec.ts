import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Trajectory } from '#contracts/trajectory';
import { eventually } from '../support/eventually.js';
import { rootDir, startInProcess } from '../support/ratchet.js';
import type { Started } from '../../apps/ratchet/start.js';

/** Real SDKs, each in a program of its own that knows Ratchet only by host and keys: its spans must become this run. */
const KEY = 'sk-ratchet-of-these-tests';
const run = promisify(execFile);
const sdk = (file: string): string => join(rootDir, 'test', 'loop', 'sdk', file);
const uv = (version: string, file: string): [string, string[]] => [
  'uv',
  ['run', '--no-project', '--quiet', '--with', `langfuse==${version}`, 'python', sdk(file)],
];

interface Client {
  name: string;
  /** By which its trajectory is found. */
  session: string;
  command: [string, string[]];
  /** What it can say of the outcome, and how. */
  outcome: 'feedback' | 'explicit';
  /** Whether it tells that a step is a tool: a Langfuse `span` may be anything. */
  tellsTools: boolean;
}

const node = (file: string): [string, string[]] => [process.execPath, [sdk(file)]];
const NPM: Client[] = [
  {
    name: 'langfuse 3 (npm)',
    session: 'npm-langfuse-3',
    command: node('langfuse-3.mjs'),
    outcome: 'feedback',
    tellsTools: false,
  },
  {
    name: '@langfuse/tracing 5 (npm)',
    session: 'npm-langfuse-5',
    command: node('langfuse-5.mjs'),
    outcome: 'feedback',
    tellsTools: true,
  },
  {
    name: 'OpenTelemetry (npm)',
    session: 'npm-opentelemetry',
    command: node('opentelemetry.mjs'),
    outcome: 'explicit',
    tellsTools: true,
  },
];
const PYPI: Client[] = [
  {
    name: 'langfuse 2 (PyPI)',
    session: 'pypi-langfuse-2',
    command: uv('2.60.10', 'langfuse_2.py'),
    outcome: 'feedback',
    tellsTools: false,
  },
  {
    name: 'langfuse 5 (PyPI)',
    session: 'pypi-langfuse-otel',
    command: uv('5.0.4', 'langfuse_otel.py'),
    outcome: 'feedback',
    tellsTools: true,
  },
];
const hasUv = spawnSync('uv', ['--version']).status === 0;

describe('real tracing SDKs pointed at Ratchet', () => {
  let ratchet: Started;

  beforeAll(async () => {
    ratchet = await startInProcess({ RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off', RATCHET_API_KEY: KEY });
  }, 120_000);
  afterAll(() => ratchet.stop());

  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${ratchet.url}${path}`, { headers: { authorization: `Bearer ${KEY}` } });
    const body = await response.text();
    if (response.status >= 500) throw new Error(`${path} answered ${response.status}: ${body}`);
    return JSON.parse(body) as T;
  };

  /** The stream's time goes on only while something is received. */
  const pass = (): Promise<unknown> =>
    fetch(`${ratchet.url}/api/public/ingestion`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`pk-any:${KEY}`)}` },
      body: JSON.stringify({
        batch: [
          { id: 'tick', type: 'trace-create', timestamp: '2026-01-01T00:00:00Z', body: { id: 'tick' } },
        ],
      }),
    });

  function trajectoryOf(session: string): Promise<Trajectory> {
    return eventually(
      `the run of ${session} is assembled with its outcome`,
      async () => {
        await pass();
        const { items } = await get<{ items: Trajectory[] }>('/api/v1/trajectories?agent=support');
        const ofSession = items.filter((item) => item.sessionId === session);
        const [one] = ofSession;
        if (ofSession.length !== 1 || one?.outcome.value !== 'success') return undefined;
        // A list may show a trajectory a moment before its detail does.
        const detail = await get<Trajectory | { status: 404 }>(`/api/v1/trajectories/${one.id}`);
        return 'outcome' in detail ? detail : undefined;
      },
      60_000,
    );
  }

  async function check(client: Client): Promise<void> {
    const host = ratchet.url;
    await run(...client.command, {
      timeout: 120_000,
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        LANGFUSE_PUBLIC_KEY: 'pk-any',
        LANGFUSE_SECRET_KEY: KEY,
        LANGFUSE_HOST: host,
        LANGFUSE_BASEURL: host,
        LANGFUSE_BASE_URL: host,
        OTEL_EXPORTER_OTLP_ENDPOINT: host,
        OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${KEY}`,
      },
    });
    const found = await trajectoryOf(client.session);
    expect(found.outcome).toMatchObject({ value: 'success', source: client.outcome });
    expect(found.usage).toMatchObject({ inputTokens: 32, outputTokens: 8 });
    const result: unknown = expect.stringMatching(/^\{"state": ?"sent"\}$/);
    const steps = [
      { kind: 'message', role: 'user', content: 'Where is order 7?' },
      {
        kind: 'model_call',
        model: 'tiny',
        toolCalls: [{ id: 'c1', name: 'find', arguments: '{"order": 7}' }],
      },
      { kind: client.tellsTools ? 'tool_call' : 'observation', role: 'tool', content: result },
      { kind: 'model_call', content: 'It was sent.' },
    ];
    expect(found.steps).toMatchObject(steps);
    if (client.outcome === 'feedback')
      expect(found).toMatchObject({ feedback: [{ name: 'outcome', value: 1, comment: 'right' }] });
  }

  it.each(NPM.map((client) => [client.name, client] as const))(
    '%s: its run becomes one trajectory',
    (_name, client) => check(client),
    240_000,
  );
  (hasUv ? it : it.skip).each(PYPI.map((client) => [client.name, client] as const))(
    '%s: its run becomes one trajectory',
    (_name, client) => check(client),
    240_000,
  );

  it('opens by Basic and Bearer with the key, and by nothing else', async () => {
    const ask = async (path: string, authorization?: string) =>
      (
        await fetch(
          `${ratchet.url}${path}`,
          authorization === undefined ? {} : { headers: { authorization } },
        )
      ).status;
    const projects = '/api/public/projects';
    expect(await ask(projects, `Basic ${btoa(`pk-any:${KEY}`)}`)).toBe(200);
    expect(await ask(projects, `Bearer ${KEY}`)).toBe(200);
    for (const wrong of [
      undefined,
      `Basic ${btoa('pk-any:other')}`,
      `Basic ${btoa(KEY)}`,
      'Basic',
      'Bearer pk-any',
    ])
      expect([wrong, await ask(projects, wrong)]).toEqual([wrong, 401]);
    expect(await ask('/api/public/health')).toBe(401);
    expect(await ask('/api/public/health', `Bearer ${KEY}`)).toBe(200);
    expect(await ask('/api/public/ingestion')).toBe(404);
  });

  it('lets scores be read as Langfuse has them', async () => {
    const { data } = await get<{ data: { id: string }[] }>('/api/public/v2/scores?name=outcome');
    expect(data.length).toBeGreaterThan(0);
    expect(await get(`/api/public/scores/${data[0]?.id}`)).toMatchObject({
      dataType: 'NUMERIC',
      value: 1,
      source: 'API',
    });
    expect(await get('/api/public/v2/prompts')).toMatchObject({ data: [] });
    expect(await get('/api/public/v2/prompts/greeting')).toMatchObject({ status: 404 });
  });
});
