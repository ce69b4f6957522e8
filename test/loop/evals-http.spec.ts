import request from 'supertest';
import { workplaceEnvironment } from '#examples/workplace';
import type { Trajectory } from '#contracts/trajectory';
import { EvalsController } from '#loop/evals/http';
import { TestStage, type TestApp } from '../../libs/loop/environments/testing/test-app.js';

const projectId = 'default';
const bucketId = 'b-airline';

let stage: TestStage;
let app: TestApp;

beforeAll(async () => {
  stage = await TestStage.open();
  app = await stage.start([EvalsController]);
  const steps = [
    { stepId: 'a', index: 0, kind: 'message', role: 'user', content: 'book it' },
    {
      stepId: 'b',
      index: 1,
      kind: 'model_call',
      role: 'assistant',
      content: null,
      toolCalls: [{ id: '1', name: 'wipe', arguments: '{}' }],
    },
  ];
  const ids = Array.from({ length: 30 }, (_, i) => `air-${i}`);
  for (const id of ids) {
    stage.failures.runs.set(id, {
      id,
      source: 'tau-bench',
      tools: [],
      steps,
      metadata: { task_id: id },
    } as unknown as Trajectory);
  }
  const fault = { category: 'unsafe_action', detail: 'destructive', stepIndex: 1 } as const;
  const faults = [...ids, 'gone'].map((trajectoryId) => ({ ...fault, trajectoryId }));
  stage.failures.buckets.set(bucketId, { agent: 'airline', faults });
});
afterAll(() => stage.close());

describe('evals and environments over HTTP', () => {
  const http = () => request(app.nest.getHttpServer());

  it('a bucket gives cases, an environment, a suite; lists come in pages', async () => {
    const drafted = await http().post('/api/v1/buckets/b-airline/eval-cases').send({ limit: 30 }).expect(201);
    expect((drafted.body as { cases: unknown[] }).cases).toHaveLength(30);
    const made = await http().post('/api/v1/environments').send({ agent: 'airline' }).expect(201);
    const { id } = made.body as { id: string };
    await http().get(`/api/v1/environments/${id}`).expect(200);
    const body = { kind: 'buckets', agent: 'airline', cases: 5, bucketIds: ['b-airline'] };
    const suite = await http().post('/api/v1/eval-suites').send(body).expect(201);
    expect(JSON.stringify(suite.body)).not.toContain('book it');
    await http()
      .get(`/api/v1/eval-suites/${(suite.body as { id: string }).id}`)
      .expect(200);
    const page = (await http().get('/api/v1/eval-cases?limit=2').expect(200)).body as {
      items: { id: string }[];
      nextCursor: string;
    };
    const next = await http()
      .get('/api/v1/eval-cases')
      .query({ limit: 2, cursor: page.nextCursor })
      .expect(200);
    const second = (next.body as { items: { id: string }[] }).items;
    expect(new Set([...page.items, ...second].map((each) => each.id)).size).toBe(4);
    expect((await http().get('/api/v1/eval-runs').expect(200)).body).toMatchObject({ nextCursor: null });
  });

  it('one environment may serve two agents, and no page loses either', async () => {
    await app.catalog.register(projectId, 'workplace-assistant', workplaceEnvironment());
    await app.catalog.register(projectId, 'second agent', workplaceEnvironment());
    const page = (await http().get('/api/v1/environments?limit=1').expect(200)).body as {
      items: { agent: string }[];
      nextCursor: string;
    };
    const rest = await http().get('/api/v1/environments').query({ cursor: page.nextCursor }).expect(200);
    const agents = [...page.items, ...(rest.body as typeof page).items].map((each) => each.agent);
    expect(agents).toEqual(['workplace-assistant', 'second agent', 'airline']);
  });

  it('a wrong request is a problem that says what is wrong', async () => {
    await http().post('/api/v1/buckets/none/eval-cases').send({}).expect(404);
    await http().post('/api/v1/environments').send({ agent: 'nobody' }).expect(409);
    await http().get('/api/v1/environments/none').expect(404);
    await http().get('/api/v1/eval-suites?colour=red').expect(400);
    await http().post('/api/v1/eval-suites').send({ kind: 'odd', agent: 'a', cases: 1 }).expect(400);
    const problem = await http()
      .post('/api/v1/eval-suites')
      .send({ kind: 'traffic', agent: 'nobody', cases: 1 })
      .expect(409);
    expect((problem.body as { detail: string }).detail).toContain('No environment is registered');
    const { id } = await app.catalog.register(projectId, 'workplace-assistant', workplaceEnvironment());
    await http().post(`/api/v1/environments/${id}/admissions`).send({ verifier: 1 }).expect(400);
  });
});
