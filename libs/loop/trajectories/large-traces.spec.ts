import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { request, startHttp } from './testing/http.js';
import { exportRequest, traceIdOf, type SpanSpec } from './testing/otlp.js';
import { stageOn, startStore } from './testing/store.js';

const SPANS_A_REQUEST = 5_000;

const spanIdOf = (n: number): string => n.toString(16).padStart(16, '0');

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

async function send(project: string, spans: readonly SpanSpec[]): Promise<void> {
  for (let from = 0; from < spans.length; from += SPANS_A_REQUEST) {
    const answer = await request(app, '/v1/traces', {
      project,
      body: JSON.stringify(exportRequest(spans.slice(from, from + SPANS_A_REQUEST))),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 200, json: {} });
  }
}

async function get<T>(project: string, path: string): Promise<T> {
  const answer = await request(app, `/api/v1/trajectories${path}`, { project });
  expect(answer.status).toBe(200);
  return answer.json as T;
}

interface StepPage {
  items: { index: number; stepId: string; content: string | null }[];
  nextCursor: string | null;
}

const agent: SpanSpec = {
  traceId: traceIdOf(1),
  spanId: spanIdOf(1),
  name: 'invoke_agent big',
  attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'big' },
};

const tool = (n: number, parentSpanId: string, more: Record<string, unknown> = {}): SpanSpec => ({
  traceId: agent.traceId,
  spanId: spanIdOf(n),
  parentSpanId,
  name: 'execute_tool',
  startMs: n,
  attributes: {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'find',
    'gen_ai.tool.call.id': `c${n}`,
    ...more,
  },
});

async function assembled(
  project: string,
  spans: readonly SpanSpec[],
): Promise<{ id: string; stepCount: number }> {
  await send(project, spans);
  await stageOn(clickhouse).assembler.assemble(project, [agent.traceId]);
  const { items } = await get<{ items: { id: string; stepCount: number }[] }>(project, '');
  expect(items).toHaveLength(1);
  return items[0]!;
}

it('30,000 spans of one trace are one trajectory, read page by page', async () => {
  const spans = [agent, ...Array.from({ length: 29_999 }, (_, n) => tool(n + 2, agent.spanId))];
  const { id, stepCount } = await assembled('wide', spans);
  expect(stepCount).toBe(29_999);

  const detail = await get<{ steps: unknown[]; stepCount: number }>('wide', `/${id}`);
  expect([detail.steps.length, detail.stepCount]).toEqual([1_000, 29_999]);
  const first = await get<StepPage>('wide', `/${id}/steps?limit=200`);
  const second = await get<StepPage>('wide', `/${id}/steps?limit=200&cursor=${first.nextCursor}`);
  const indexes = [...first.items, ...second.items].map(({ index }) => index);
  expect(indexes).toEqual(Array.from({ length: 400 }, (_, index) => index));
}, 300_000);

it('a chain of 5,000 parents is one trajectory', async () => {
  const below = (n: number): string => (n === 0 ? agent.spanId : spanIdOf(n + 1));
  const spans = [agent, ...Array.from({ length: 5_000 }, (_, n) => tool(n + 2, below(n)))];
  expect((await assembled('deep', spans)).stepCount).toBe(5_000);
}, 300_000);

it('a field of 10 MB is kept whole', async () => {
  const result = `${'word '.repeat(20)}ä"\\\n`.repeat(100_000);
  const { id } = await assembled('big', [
    agent,
    tool(2, agent.spanId, { 'gen_ai.tool.call.result': result }),
  ]);
  const { items } = await get<StepPage>('big', `/${id}/steps`);
  expect(items[0]?.content === result).toBe(true);
}, 300_000);

it('values nested by the thousand are kept as text, and the trace is assembled', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  const fields = [
    'gen_ai.tool.call.arguments',
    'gen_ai.tool.call.result',
    'gen_ai.input.messages',
    'gen_ai.output.messages',
    'gen_ai.tool.definitions',
    'gen_ai.system_instructions',
    'input.value',
    'output.value',
    'metadata',
  ];
  const attributes = Object.fromEntries(fields.map((field) => [field, deep]));
  const message = JSON.stringify([
    { role: 'assistant', tool_calls: [{ id: 'x', function: { name: 'f', arguments: deep } }] },
  ]);
  const chat: SpanSpec = {
    ...tool(3, agent.spanId),
    attributes: {
      ...attributes,
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': message,
      'gen_ai.output.messages': message,
    },
  };
  const { id, stepCount } = await assembled('nested', [agent, tool(2, agent.spanId, attributes), chat]);
  expect(stepCount).toBeGreaterThanOrEqual(2);
  const { items } = await get<StepPage>('nested', `/${id}/steps`);
  expect(items[0]?.content).toBe(deep);
});
