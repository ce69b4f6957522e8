import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { request, startHttp } from './testing/http.js';
import { startStore } from './testing/store.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
const project = 'reads';
let id = '';

const messages = Array.from({ length: 1_250 }, (_, n) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `message ${n}`,
}));
const get = async (path: string, of = project) => {
  const { status, json } = await request(app, `/api/v1/trajectories${path}`, { project: of });
  return {
    status,
    body: json as Record<string, unknown> & {
      items: Record<string, unknown>[];
      nextCursor: string | null;
      steps: unknown[];
    },
  };
};

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
  const body = JSON.stringify({ task_id: 1, trial: 0, reward: 0, traj: messages });
  const answer = await request(app, '/api/v1/import', {
    project,
    body,
    headers: { 'content-type': 'application/json' },
  });
  id = (answer.json as { trajectoryIds: string[] }).trajectoryIds[0] ?? '';
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

describe('the trajectory routes', () => {
  it('list, with filters and cursor, and refuse what they do not know', async () => {
    expect((await get('?outcome=failure&agent=tau-bench&q=message%201249')).body.items).toMatchObject([
      { id, startedAt: '2023-11-14T22:13:20.000Z', stepCount: 1_250 },
    ]);
    expect((await get('?outcome=success')).body.items).toEqual([]);
    expect((await get('?since=2030-01-01T00:00:00Z')).body.items).toEqual([]);
    expect((await get('?category=loop')).body.items).toEqual([]);
    for (const query of [
      '?colour=red',
      '?outcome=fine',
      '?category=nope',
      '?since=yesterday',
      '?limit=0',
      '?cursor=x',
    ]) {
      expect([query, (await get(query)).status]).toEqual([query, 400]);
    }
  });

  it('show one with its first 1,000 steps, and the rest by pages', async () => {
    const { body } = await get(`/${id}`);
    expect(body).toMatchObject({
      id,
      messageCount: 1_250,
      stepCount: 1_250,
      outcome: { value: 'failure', source: 'environment' },
      triage: { state: 'pending' },
      failures: [],
    });
    expect(body.steps).toHaveLength(1_000);
    const seen: unknown[] = [];
    for (let query = '?limit=500'; query !== '';) {
      const page = (await get(`/${id}/steps${query}`)).body;
      seen.push(...page.items.map((step) => step['content']));
      query = page.nextCursor === null ? '' : `?limit=500&cursor=${page.nextCursor}`;
    }
    expect(seen).toEqual(messages.map((message) => message.content));
  });

  it('know nothing of another project', async () => {
    expect((await get(`/${id}`, 'other')).status).toBe(404);
    expect((await get(`/${id}/steps`, 'other')).status).toBe(404);
    expect((await get('', 'other')).body.items).toEqual([]);
  });
});
