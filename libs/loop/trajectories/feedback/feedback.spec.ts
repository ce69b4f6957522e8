import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { request, startHttp } from '../testing/http.js';
import { agentTrace, exportRequest } from '../testing/otlp.js';
import { stageOn, startStore, type StageParts } from '../testing/store.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
let stage: StageParts;
const clock = new ManualClock();
let projects = 0;
const freshProject = (): string => `feedback-${(projects += 1)}`;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, clock);
  stage = stageOn(clickhouse, clock);
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

const post = (project: string, path: string, body: unknown) =>
  request(app, path, {
    project,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });
const trace = (project: string, n: number) =>
  post(project, '/v1/traces', exportRequest(agentTrace({ trace: n, responseIds: [`r-${n}-1`, `r-${n}-2`] })));
const give = async (project: string, body: Record<string, unknown>) => {
  const answer = await post(project, '/api/v1/feedback', { source: 'user', ...body });
  expect(answer.status).toBe(202);
  return (answer.json as { id: string }).id;
};

async function settle(): Promise<void> {
  clock.advance(61_000);
  await stage.sweep.run();
  await stage.feedbackSweep.run();
}

async function only(project: string) {
  const { items } = await stage.trajectories.list({ projectId: project, limit: 10 });
  expect(items).toHaveLength(1);
  return stage.trajectories.get(project, items[0]!.id);
}

describe('feedback', () => {
  it('that came before its trajectory is on its first revision', async () => {
    const project = freshProject();
    await give(project, { sessionId: 's-1', name: 'thumbs', value: 'down', comment: 'No help.' });
    clock.advance(1);
    await give(project, { responseId: 'r-1-2', name: 'helpful', value: 0.2 });
    await settle();
    await trace(project, 1);
    await settle();
    expect(await only(project)).toMatchObject({
      revision: 1,
      outcome: { value: 'failure', source: 'feedback', confidence: 0.45 },
      metadata: { 'label.feedback': { items: [{ name: 'thumbs' }, { name: 'helpful', targetId: 'r-1-2' }] } },
    });
  });

  it('a month late makes a new revision and is announced; the detail shows it', async () => {
    const project = freshProject();
    await trace(project, 2);
    await settle();
    const before = await only(project);
    expect(before).toMatchObject({ revision: 1, outcome: { source: 'none' } });
    clock.advance(30 * 24 * 60 * 60 * 1_000);
    await give(project, { trajectoryId: before.id, name: 'outcome', value: true, authenticatedUser: true });
    await give(project, {
      stepId: before.steps[1]!.stepId,
      name: 'correction',
      value: 'Ask first.',
      source: 'reviewer',
    });
    await settle();
    const after = await only(project);
    expect(after).toMatchObject({
      revision: 2,
      outcome: { value: 'success', source: 'feedback', confidence: 0.9 },
    });
    expect(after.steps.map(({ stepId }) => stepId)).toEqual(before.steps.map(({ stepId }) => stepId));
    expect(stage.events.filter(({ projectId }) => projectId === project)).toMatchObject([
      { trajectoryId: before.id, revision: 1 },
      { trajectoryId: before.id, revision: 2 },
    ]);
    const detail = await request(app, `/api/v1/trajectories/${before.id}`, { project });
    expect((detail.json as { feedback: unknown[] }).feedback).toMatchObject([
      { name: 'outcome', value: true, authenticatedUser: true },
      { name: 'correction', value: 'Ask first.', stepId: before.steps[1]!.stepId, source: 'reviewer' },
    ]);
  });

  it('sent again changes nothing; the same id with another value replaces it', async () => {
    const project = freshProject();
    await trace(project, 3);
    await settle();
    const { id: trajectoryId } = await only(project);
    const body = { trajectoryId, name: 'outcome', value: 0 };
    const id = await give(project, body);
    await settle();
    expect(await give(project, body)).toBe(id);
    await settle();
    expect(await only(project)).toMatchObject({ revision: 2, outcome: { value: 'failure' }, reward: 0 });
    await give(project, { ...body, id, value: 1 });
    await settle();
    expect(await only(project)).toMatchObject({ revision: 3, outcome: { value: 'success' }, reward: 1 });
  });

  it('reaches imported runs too, is kept by importing again, and a new process takes up what is left', async () => {
    const project = freshProject();
    const row = {
      task_id: 1,
      trial: 0,
      reward: 0,
      traj: [
        { role: 'user', content: 'hello' },
        { role: 'assistant', content: 'hi' },
      ],
    };
    await post(project, '/api/v1/import', row);
    const { id } = await only(project);
    await give(project, { trajectoryId: id, name: 'outcome', value: 'success' });
    await give(project, {
      trajectoryId: id,
      name: 'intervention',
      value: 'taken over',
      comment: 'A person answered.',
    });
    await stageOn(clickhouse, clock).feedbackSweep.run();
    const joined = await only(project);
    // What the environment measured stays beside what people said of it.
    expect(joined).toMatchObject({ outcome: { value: 'success', source: 'feedback' }, reward: 0 });
    expect(joined.steps.at(-1)).toMatchObject({
      kind: 'intervention',
      content: 'A person answered.',
      index: 2,
    });
    await post(project, '/api/v1/import', row);
    await stageOn(clickhouse, clock).feedbackSweep.run();
    expect(await only(project)).toEqual(joined);
  });

  it("never overrides what the application itself said, and an evaluator's score is no outcome", async () => {
    const project = freshProject();
    await post(project, '/v1/traces', exportRequest(agentTrace({ trace: 4, outcome: 1 })));
    await give(project, { sessionId: 's-4', name: 'outcome', value: false });
    await settle();
    expect(await only(project)).toMatchObject({ outcome: { value: 'success', source: 'explicit' } });
    const other = freshProject();
    await trace(other, 5);
    await give(other, { sessionId: 's-5', name: 'outcome', value: false, source: 'evaluator' });
    await settle();
    expect(await only(other)).toMatchObject({ outcome: { value: 'unknown' } });
  });

  it('stays within its project, and says what is wrong with a bad one', async () => {
    const [mine, other] = [freshProject(), freshProject()];
    await trace(mine, 6);
    await settle();
    await give(other, { trajectoryId: (await only(mine)).id, name: 'outcome', value: true });
    await settle();
    expect(await only(mine)).toMatchObject({ revision: 1 });
    for (const body of [
      { name: 'n', value: 1, source: 'user' },
      { trajectoryId: 't', value: 1, source: 'user' },
      { trajectoryId: 't', name: 'n', value: null, source: 'user' },
      { trajectoryId: 't', name: 'n', value: 1 },
      { trajectoryId: 't', name: 'n', value: 1, source: 'user', colour: 'red' },
      { trajectoryId: 't', name: 'n', value: 1, source: 'user', observedAt: 'yesterday' },
    ])
      expect([body, (await post(mine, '/api/v1/feedback', body)).status]).toEqual([body, 400]);
  });
});
