import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { request, startHttp } from '../../testing/http.js';
import { stageOn, startStore } from '../../testing/store.js';
import type { IngestionVerdict } from './langfuse-intake.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
const clock = new ManualClock();
let projects = 0;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, clock);
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

interface Event {
  id: string;
  type: string;
  timestamp: string;
  body: Record<string, unknown>;
}

const at = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
const freshProject = (): string => `langfuse-${(projects += 1)}`;
const event = (id: string, type: string, ms: number, body: Record<string, unknown>): Event => ({
  id,
  type,
  timestamp: at(ms),
  body,
});
const send = async (project: string, batch: unknown[]) => {
  const answer = await request(app, '/api/public/ingestion', { project, body: JSON.stringify({ batch }) });
  return { status: answer.status, verdict: answer.json as IngestionVerdict };
};

/** Everything that came is complete: what trajectories are there now? */
async function trajectories(project: string) {
  const { sweep, feedbackSweep, trajectories: reads } = stageOn(clickhouse, clock);
  clock.advance(61_000);
  await sweep.run();
  await feedbackSweep.run();
  const { items } = await reads.list({ projectId: project, limit: 10 });
  return Promise.all(items.map(({ id }) => reads.get(project, id)));
}

/** A run of a support agent, as SDKs of version 2 and 3 send it: creations, then updates with the ends. */
const run: Event[] = [
  event('e1', 'trace-create', 0, {
    id: 'trace one',
    name: 'support',
    sessionId: 's1',
    userId: 'u1',
    timestamp: at(0),
    tags: ['a'],
  }),
  event('e2', 'generation-create', 1, {
    id: 'gen one',
    traceId: 'trace one',
    name: 'llm',
    startTime: at(1),
    model: 'tiny',
    input: [{ role: 'user', content: 'Where is my order?' }],
    metadata: { attempt: 1 },
  }),
  event('e3', 'generation-update', 5, {
    id: 'gen one',
    traceId: 'trace one',
    endTime: at(5),
    output: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'find', arguments: '{"order": 7}' } }],
    },
    usage: { input: 12, output: 3, total: 15, unit: 'TOKENS', inputCost: 1 },
    metadata: { final: true },
  }),
  event('e4', 'tool-create', 6, {
    id: 'tool one',
    traceId: 'trace one',
    name: 'find',
    startTime: at(6),
    endTime: at(7),
    input: { order: 7 },
    output: { state: 'sent' },
  }),
  event('e5', 'generation-create', 8, {
    id: 'gen two',
    traceId: 'trace one',
    name: 'llm',
    startTime: at(8),
    endTime: at(9),
    model: 'tiny',
    input: [{ role: 'user', content: 'Where is my order?' }],
    output: 'It was sent.',
    usageDetails: { input: 20, output: 5, total: 25 },
  }),
  event('e6', 'trace-create', 10, { id: 'trace one', tags: ['b'], output: 'It was sent.' }),
  event('e7', 'score-create', 11, {
    id: 'sc1',
    traceId: 'trace one',
    name: 'outcome',
    value: 1,
    dataType: 'BOOLEAN',
  }),
];

describe('Langfuse ingestion', () => {
  it('makes one trajectory of creations and updates, with its messages, tools, tokens and score', async () => {
    const project = freshProject();
    const { status, verdict } = await send(project, run);
    expect(status).toBe(207);
    expect(verdict).toEqual({ successes: run.map(({ id }) => ({ id, status: 201 })), errors: [] });
    const [one, ...others] = await trajectories(project);
    expect(others).toEqual([]);
    expect(one).toMatchObject({
      agent: 'support',
      sessionId: 's1',
      outcome: { value: 'success', source: 'feedback', confidence: 0.9 },
      usage: { inputTokens: 32, outputTokens: 8 },
      metadata: { 'langfuse.trace.tags': '["a","b"]', 'user.id': 'u1' },
    });
    expect(one?.steps).toMatchObject([
      { kind: 'message', role: 'user', content: 'Where is my order?' },
      { kind: 'model_call', toolCalls: [{ name: 'find', arguments: '{"order": 7}' }], model: 'tiny' },
      { kind: 'tool_call', toolName: 'find', content: '{"state":"sent"}' },
      { kind: 'model_call', content: 'It was sent.', usage: { inputTokens: 20, outputTokens: 5 } },
    ]);
  });

  it('comes to the same from events in any order, one a request or sent twice', async () => {
    const [inOrder, scattered] = [freshProject(), freshProject()];
    await send(inOrder, run);
    for (const one of [...run].reverse()) {
      await send(scattered, [one]);
      await send(scattered, [one]);
    }
    const [expected] = await trajectories(inOrder);
    const [found, ...others] = await trajectories(scattered);
    expect(others).toEqual([]);
    const told = ({ steps, usage, outcome, agent, startedAtNs, endedAtNs }: NonNullable<typeof found>) => ({
      steps,
      usage,
      outcome,
      agent,
      startedAtNs,
      endedAtNs,
    });
    expect(told(found!)).toEqual(told(expected!));
    expect((await stageOn(clickhouse).trajectories.stats(scattered)).spans).toBe(4);
  });

  it('lets the last timestamp win field by field, and a late update make a new revision', async () => {
    const project = freshProject();
    await send(project, run.slice(0, 3));
    expect((await trajectories(project))[0]).toMatchObject({ revision: 1 });
    await send(project, [
      event('u2', 'generation-update', 30, { id: 'gen one', model: 'newest', output: 'Now this.' }),
      event('u1', 'generation-update', 20, {
        id: 'gen one',
        model: 'older',
        statusMessage: 'kept',
        input: null,
      }),
    ]);
    const [one] = await trajectories(project);
    expect(one).toMatchObject({ revision: 2 });
    expect(one?.steps).toMatchObject([
      { content: 'Where is my order?' },
      { kind: 'model_call', content: 'Now this.', model: 'newest', usage: { inputTokens: 12 } },
    ]);
  });

  it('keeps what concurrent requests tell of the same observation', async () => {
    const project = freshProject();
    const updates = Array.from({ length: 6 }, (_, n) =>
      event(`m${n}`, 'span-update', 40 + n, { id: 'span', traceId: 'busy', metadata: { [`k${n}`]: n } }),
    );
    await Promise.all(
      [event('s0', 'span-create', 1, { id: 'span', traceId: 'busy', startTime: at(1) }), ...updates].map(
        (one) => send(project, [one]),
      ),
    );
    const spans = await stageOn(clickhouse).spans.ofTraces(project, [
      ...(await clickhouse.client
        .query({
          query: `SELECT DISTINCT trace_id FROM spans WHERE project_id = '${project}'`,
          format: 'JSON',
        })
        .then((result) => result.json<{ trace_id: string }>())
        .then(({ data }) => data.map((row) => row.trace_id))),
    ]);
    const names = [...spans.values()].flat().flatMap(({ attributes }) => Object.keys(attributes));
    expect(names.filter((name) => name.startsWith('langfuse.observation.metadata.k'))).toHaveLength(6);
  });

  it('judges each event by itself', async () => {
    const project = freshProject();
    const deep = JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown;
    const { status, verdict } = await send(project, [
      run[0],
      { ...run[1], type: 'nonsense-create' },
      { ...run[1], id: 'late', timestamp: 'yesterday' },
      { ...run[1], id: 'no body', body: 'text' },
      { ...run[1], id: 'deep', body: { input: deep } },
      event('long', 'span-create', 1, { id: 'x'.repeat(801), traceId: 't' }),
      event('lost', 'span-update', 1, { id: 'never seen' }),
      event('run item', 'score-create', 1, { datasetRunId: 'r', name: 'n', value: 1 }),
      event('no value', 'score-create', 1, { traceId: 't', name: 'n' }),
      null,
      { id: 'log', type: 'sdk-log', timestamp: at(0), body: { log: 'anything' } },
    ]);
    expect(status).toBe(207);
    expect(verdict.successes.map(({ id }) => id)).toEqual(['e1', 'log']);
    expect(verdict.errors.map(({ id, status: code }) => [id, code]).sort()).toEqual(
      ['', 'deep', 'e2', 'late', 'long', 'lost', 'no body', 'no value', 'run item'].map((id) => [id, 400]),
    );
  });

  it('refuses a body that is no batch', async () => {
    for (const body of ['nonsense', '[]', '{"batch": 1}'])
      expect((await request(app, '/api/public/ingestion', { project: freshProject(), body })).status).toBe(
        400,
      );
  });

  it('stores no secret of an event or a score', async () => {
    const project = freshProject();
    const secret = `sk-proj-${'A1b2C3d4'.repeat(5)}`;
    await send(project, [
      event('s1', 'generation-create', 1, {
        id: 'g',
        traceId: 't',
        input: `key ${secret}`,
        startTime: at(1),
      }),
      event('s2', 'score-create', 2, { traceId: 't', name: 'n', value: 1, comment: `see ${secret}` }),
    ]);
    for (const table of ['langfuse_events', 'spans', 'feedback', 'span_messages']) {
      const found = await clickhouse.client.query({
        query: `SELECT count() AS rows, countIf(position(toString(tuple(*)), '${secret}') > 0) AS leaks FROM ${table} WHERE project_id = '${project}'`,
        format: 'JSONEachRow',
      });
      expect(await found.json()).toMatchObject([{ leaks: '0' }]);
    }
  });
});
