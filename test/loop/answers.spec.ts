/** openapi.json says what is: every route has the form of its answer, and real answers have that form and nothing more. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cycle } from '#contracts/cycle';
import { GatePolicy } from '#contracts/gate';
import { DEMO_BASE, DEMO_GOOD, DEMO_SIZES, Gates, simulateEvidence } from '#loop/gates';
import { Training } from '#loop/training';
import type { Started } from '../../apps/ratchet/start.js';
import {
  checkAnswers,
  formCheck,
  operationsOf,
  refOf,
  type ApiDocument,
  type FormCheck,
} from '../support/answers.js';
import { eventually } from '../support/eventually.js';
import { rootDir, startInProcess } from '../support/ratchet.js';
import { testRecipe } from '../support/recipe.js';
import { removeTempDirs } from '../support/temp-dir.js';

const AGENT = 'workplace-assistant';
/** Routes whose ids no store of this test holds. */
const UNASKED = new Set(['GET /api/public/scores/{id}', 'GET /api/public/v2/scores/{id}']);

let started: Started;
let document: ApiDocument;
let check: FormCheck;

/** Sends and checks the answer by the form that the document has for it. */
async function send<T>(method: string, route: string, body: unknown, id = ''): Promise<T> {
  const response = await fetch(`${started.url}${route.replace('{id}', id)}`, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const operation = document.paths[route]?.[method.toLowerCase()];
  const ref = operation && refOf(operation, response.status);
  const answer: unknown = await response.json();
  if (ref === undefined)
    throw new Error(`${method} ${route} answered ${response.status}: ${JSON.stringify(answer)}`);
  expect(check(ref, answer)).toBeNull();
  return answer as T;
}

async function firstBucket(): Promise<string | null> {
  const { items } = (await (await fetch(`${started.url}/api/v1/buckets`)).json()) as {
    items: { id: string }[];
  };
  return items[0]?.id ?? null;
}

/** Real traffic of the demo's agent until failures are in a bucket. */
async function failures(): Promise<string> {
  const script = join(rootDir, 'dist', 'examples', 'workplace', 'agent.js');
  const agent = spawn(process.execPath, [script, '--rate', '8', '--seed', '5'], {
    env: { ...process.env, NODE_OPTIONS: '', OPENAI_BASE_URL: started.url },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  try {
    return await eventually('a failure is in a bucket', firstBucket, 240_000);
  } finally {
    const ended = new Promise((resolve) => agent.once('close', resolve));
    agent.stdin.end();
    await ended;
  }
}

/** A run and a verdict as a turn leaves them, without the minutes that a turn takes. */
async function trainingAndVerdict(): Promise<void> {
  const projectId = 'default';
  const of = { projectId, agent: AGENT, cycleId: null };
  const training = started.app.get(Training, { strict: false });
  await training.create({
    ...of,
    id: 'run-1',
    recipe: testRecipe(),
    seed: 1,
    plan: null,
    manifest: ['a'],
  });
  const policy: unknown = JSON.parse(readFileSync(join(rootDir, 'examples/workplace/gate.json'), 'utf8'));
  await started.app.get(Gates, { strict: false }).decide({
    ...of,
    id: 'gate-1',
    candidateId: 'none',
    policy: GatePolicy.parse(policy),
    evidence: simulateEvidence({
      seed: 3,
      sizes: DEMO_SIZES,
      baseline: DEMO_BASE,
      candidate: DEMO_GOOD,
      groupSpread: 0.1,
    }),
  });
}

beforeAll(async () => {
  started = await startInProcess({ RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off' });
  document = (await (await fetch(`${started.url}/openapi.json`)).json()) as ApiDocument;
  check = formCheck(document);
}, 180_000);

afterAll(async () => {
  await started.stop();
  removeTempDirs();
}, 60_000);

it('declares for every route what it answers: a form, a text, or that it only refuses; and problems as errors', () => {
  const operations = operationsOf(document);
  expect(operations.length).toBeGreaterThan(50);
  const silent = operations.filter(({ operation: { responses } }) => {
    const { default: problem, ...answers } = responses;
    const declared = Object.values(answers).filter(({ content }) => content !== undefined);
    return declared.length === 0 || problem?.content?.['application/problem+json'] === undefined;
  });
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('has no reference to a form that is not there', () => {
  const named = new Set(Object.keys(document.components.schemas));
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  expect(refs.length).toBeGreaterThan(50);
  expect(refs.map(([, name]) => name).filter((name) => !named.has(name ?? ''))).toEqual([]);
});

it('tells a member too many, and one too few', () => {
  const project = { projectId: 'p', trajectories: 1, agents: [] };
  const of = (item: unknown) =>
    check('#/components/schemas/ProjectPage', { items: [item], nextCursor: null });
  expect(of(project)).toBeNull();
  expect(of({ ...project, secret: 1 })).toMatch(/additional properties/);
  expect(of({ projectId: 'p', agents: [] })).toMatch(/required/);
});

it('answers as declared, in a store where every list that a turn needs holds something', async () => {
  const bucketId = await failures();
  await send('PATCH', '/api/v1/buckets/{id}', { owner: 'somebody' }, bucketId);
  const { cases } = await send<{ cases: { id: string }[] }>(
    'POST',
    '/api/v1/buckets/{id}/eval-cases',
    { limit: 5 },
    bucketId,
  );
  expect(cases.length).toBeGreaterThan(0);
  await send('POST', '/api/v1/eval-suites', { kind: 'traffic', agent: AGENT, cases: 5 });
  await trainingAndVerdict();
  const recipe = testRecipe({
    suites: { traffic: 4, safety: 4, buckets: 4, repeats: 1 },
    profile: { tasks: 2, repeats: 2 },
  });
  const { id } = await send<Cycle>('POST', '/api/v1/cycles', { agent: AGENT, recipe });
  await eventually(
    'the turn ends where training is switched off',
    async () => {
      const cycle = (await (await fetch(`${started.url}/api/v1/cycles/${id}`)).json()) as Cycle;
      return cycle.state === 'failed' || cycle.state === 'done';
    },
    240_000,
  );
  const api = { url: started.url, headers: {}, values: { agent: AGENT } };
  const { asked, faults } = await checkAnswers(api);
  expect(faults).toEqual([]);
  const all = operationsOf(document).filter(
    ({ name, operation }) => name.startsWith('GET ') && refOf(operation, 200) !== undefined,
  );
  expect(all.map(({ name }) => name).filter((name) => !asked.includes(name) && !UNASKED.has(name))).toEqual(
    [],
  );
}, 600_000);
