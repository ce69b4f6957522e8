import { parquetReadObjects } from 'hyparquet';
import type { INestApplication } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import type { ImportVerdict } from '../import/import.service.js';
import { request, startHttp } from '../testing/http.js';
import { agentTrace, exportRequest } from '../testing/otlp.js';
import { startStore } from '../testing/store.js';
import { EXPORT_FORMATS } from './export-formats.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
const project = 'exports';
/** More than a page of heads. */
const RUNS = 230;

const run = (n: number) => ({
  messages: [
    { role: 'user', content: `question ${n}` },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'find', arguments: `{"n":  ${n}}` } }],
    },
    { role: 'tool', tool_call_id: 'c', content: `found ${n}` },
    { role: 'assistant', content: `answer ${n}` },
  ],
  workload_id: n % 10 === 0 ? 'rare' : 'common',
  usage: { prompt_tokens: 10 + n, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
});

const importInto = async (into: string, body: string): Promise<ImportVerdict> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await request(app, '/api/v1/import', { project: into, body, headers });
  return answer.json as ImportVerdict;
};
const exported = (query: string, of = project) =>
  request(app, `/api/v1/trajectories/export${query}`, { project: of });
const linesOf = (bytes: Buffer): unknown[] =>
  bytes
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
const all = async (of: string): Promise<Trajectory[]> =>
  linesOf((await exported('?format=jsonl', of)).bytes) as Trajectory[];

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
  await importInto(project, Array.from({ length: RUNS }, (_, n) => JSON.stringify(run(n))).join('\n'));
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

describe('the export of trajectories', () => {
  it('holds every trajectory once over all pages, by the same filters as the list', async () => {
    const answer = await exported('');
    expect([answer.status, answer.type]).toEqual([200, 'application/x-ndjson']);
    const rows = linesOf(answer.bytes) as Trajectory[];
    expect(rows.map(({ steps }) => steps.at(-1)?.content).sort()).toEqual(
      Array.from({ length: RUNS }, (_, n) => `answer ${n}`).sort(),
    );
    expect(new Set(rows.map(({ id }) => id)).size).toBe(RUNS);
    expect(linesOf((await exported('?agent=rare&format=openai-chat')).bytes)).toHaveLength(RUNS / 10);
    expect(linesOf((await exported('?q=question%20229')).bytes)).toHaveLength(1);
    expect((await exported('', 'another')).bytes).toHaveLength(0);
  });

  it.each(['openai-chat', 'openai-responses', 'atif', 'jsonl', 'otlp-json'])(
    '%s: imported into another project, the store holds the same runs, and no more the second time',
    async (format) => {
      const { bytes } = await exported(`?format=${format}&agent=rare`);
      const into = `again-${format}`;
      for (let again = 0; again < 2; again++)
        expect(await importInto(into, bytes.toString())).toMatchObject({ accepted: RUNS / 10, rejected: [] });
      const told = (trajectory: Trajectory) => ({
        agent: trajectory.agent,
        usage: trajectory.usage,
        said: trajectory.steps.map(({ role, content, toolCalls, toolCallId, toolName }) => ({
          role,
          content,
          toolCalls,
          toolCallId,
          toolName,
        })),
      });
      const key = (trajectory: Trajectory): string => JSON.stringify(told(trajectory));
      const before = (await all(project)).filter(({ agent }) => agent === 'rare');
      expect((await all(into)).map(key).sort()).toEqual(before.map(key).sort());
    },
  );

  it('parquet: readable columns, messages as they are, absent facts null', async () => {
    const answer = await exported('?format=parquet');
    expect(answer.type).toBe('application/vnd.apache.parquet');
    const file = Uint8Array.from(answer.bytes).buffer;
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(RUNS);
    const one = rows.find(({ messages }) => String(messages).includes('question 17"'));
    expect(one).toMatchObject({ agent: 'common', input_tokens: 27n, cache_read_tokens: 4n, reward: null });
    expect(JSON.parse(String(one?.['messages']))).toMatchObject(run(17).messages);
    const none = Uint8Array.from((await exported('?format=parquet', 'another')).bytes).buffer;
    expect(await parquetReadObjects({ file: none })).toEqual([]);
  });

  it('takes what came over OTLP: tool calls of their own spans, in every format', async () => {
    const from = 'traced';
    await importInto(from, JSON.stringify(exportRequest(agentTrace({ trace: 7 }))));
    const [trajectory] = await all(from);
    expect(trajectory?.source).toBe('otlp');
    for (const format of EXPORT_FORMATS.filter((name) => name !== 'parquet')) {
      const { bytes } = await exported(`?format=${format}`, from);
      await importInto(`traced-${format}`, bytes.toString());
      const [back] = await all(`traced-${format}`);
      const said = (item: Trajectory | undefined) =>
        item?.steps.map(({ role, content, toolCalls }) => ({ role, content, toolCalls }));
      expect([format, said(back)]).toEqual([format, said(trajectory)]);
      expect([format, back?.usage.inputTokens]).toEqual([format, trajectory?.usage.inputTokens]);
    }
  });

  it('refuses an unknown format or filter with a problem, not with a broken file', async () => {
    for (const query of ['?format=csv', '?colour=red', '?since=yesterday']) {
      const answer = await exported(query);
      expect([query, answer.status, answer.type]).toEqual([query, 400, 'application/problem+json']);
    }
  });
});
