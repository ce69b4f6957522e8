import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { projectRoot } from '#platform/runtime';
import { request, startHttp, type Answer } from '../testing/http.js';
import { agentTrace, exportRequest } from '../testing/otlp.js';
import { stageOn, startStore } from '../testing/store.js';
import type { ImportVerdict } from './import.service.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
let projects = 0;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

const freshProject = (): string => `p-${(projects += 1)}`;
const upload = (
  project: string,
  body: string | Buffer,
  query = '',
  type = 'application/json',
): Promise<Answer> =>
  request(app, `/api/v1/import${query}`, { project, body, headers: { 'content-type': type } });
const verdictOf = async (...args: Parameters<typeof upload>): Promise<ImportVerdict> => {
  const answer = await upload(...args);
  expect(answer.status).toBe(200);
  return answer.json as ImportVerdict;
};
const get = async (project: string, id: string) =>
  (await request(app, `/api/v1/trajectories/${id}`, { project })).json as Trajectory & {
    messageCount: number;
  };
const stats = (project: string) => stageOn(clickhouse).trajectories.stats(project);

const tauRow = (task: number, messages: unknown[], reward = 1): Record<string, unknown> => ({
  task_id: task,
  trial: 0,
  reward,
  info: { task: { user_id: 'u', instruction: 'secret task' }, reward_info: { reward } },
  traj: messages,
});
const said = (content: string): unknown[] => [
  { role: 'user', content },
  { role: 'assistant', content: 'ok' },
];

const REAL = join(projectRoot(), '..', 'shared', 'data');
const onRealFiles = existsSync(REAL) ? describe : describe.skip;

onRealFiles('real files (skipped where ../shared/data is absent)', () => {
  const real = (path: string): Buffer => readFileSync(join(REAL, path));

  it.each([
    'tau-bench-airline/gpt-4o-airline.tasks-00-24.json.gz',
    'agentrx-tau-retail/trajectories.json.gz',
  ])(
    'takes %s whole: every run and message, labels apart, and nothing more the second time',
    async (path) => {
      const project = freshProject();
      const rows = JSON.parse(gunzipSync(real(path)).toString()) as {
        task_id: unknown;
        trial: unknown;
        reward: number;
        traj: Record<string, unknown>[];
      }[];
      const first = await verdictOf(project, real(path), '', 'application/gzip');
      expect([first.accepted, first.rejected, new Set(first.trajectoryIds).size]).toEqual([
        rows.length,
        [],
        rows.length,
      ]);
      const before = await stats(project);
      expect(before.trajectories).toBe(rows.length);

      expect(await verdictOf(project, gunzipSync(real(path)), '?format=tau-bench')).toEqual(first);
      expect(await stats(project)).toEqual(before);

      const stored = new Map(
        (await stageOn(clickhouse).trajectories.getMany(project, first.trajectoryIds)).map((item) => [
          item.id,
          item,
        ]),
      );
      for (const [at, row] of rows.entries()) {
        const trajectory = stored.get(first.trajectoryIds[at]!)!;
        expect(trajectory.steps.map((step) => [step.role, step.content, step.sourceIndex])).toEqual(
          row.traj.map((message, index) => [message['role'], message['content'], index]),
        );
        const sourceCalls = row.traj.flatMap(
          (message) => (message['tool_calls'] as { function: { arguments: string } }[] | undefined) ?? [],
        );
        expect(
          trajectory.steps.flatMap((step) => step.toolCalls ?? []).map((call) => call.arguments),
        ).toEqual(sourceCalls.map((call) => call.function.arguments));
        expect(trajectory).toMatchObject({
          revision: 1,
          source: 'tau-bench',
          outcome: { value: row.reward === 1 ? 'success' : 'failure', source: 'environment' },
          metadata: { task_id: row.task_id, trial: row.trial, line: at + 1, 'label.reward': row.reward },
        });
      }
    },
  );

  it('takes the OTLP files whole, and nothing more the second time', async () => {
    const project = freshProject();
    for (let again = 0; again < 2; again++) {
      expect(
        await verdictOf(project, real('otlp-json/open-agent-traces.test-traces.otlp.json')),
      ).toMatchObject({ accepted: 2, rejected: [], trajectoryIds: [expect.any(String), expect.any(String)] });
      expect(await verdictOf(project, real('otlp-json/opentelemetry-proto.trace.json'))).toMatchObject({
        accepted: 1,
        rejected: [],
        trajectoryIds: [expect.any(String)],
      });
    }
    expect(await stats(project)).toMatchObject({ spans: 3, trajectories: 3 });
    const { trajectoryIds } = await verdictOf(
      project,
      real('otlp-json/open-agent-traces.test-traces.otlp.json'),
    );
    const trajectory = await get(project, trajectoryIds[0]!);
    expect(trajectory).toMatchObject({
      agent: 'Agento-Module-1',
      traceId: expect.any(String),
      revision: 1,
      metadata: { test_attribute: 'small value', resource: { 'process.pid': 18205 } },
    });
    expect(String(trajectory.metadata['large_attribute_truncated']).length).toBeGreaterThan(8_000);
  });
});

describe('import of files', () => {
  it('reads a list, lines and one document alike, counting rows from 1 as the source does', async () => {
    const rows = [tauRow(1, said('a')), tauRow(2, said('b'))];
    const list = await verdictOf(freshProject(), JSON.stringify(rows, null, 2));
    const project = freshProject();
    const lines = await verdictOf(project, `\n${rows.map((row) => JSON.stringify(row)).join('\r\n\n')}\n`);
    expect([list.accepted, lines.accepted]).toEqual([2, 2]);
    expect(list.trajectoryIds).not.toEqual(lines.trajectoryIds);
    expect(
      (await Promise.all(lines.trajectoryIds.map((id) => get(project, id)))).map(
        (item) => item.metadata['line'],
      ),
    ).toEqual([2, 4]);
    expect(await verdictOf(freshProject(), JSON.stringify(rows[0], null, 2))).toMatchObject({
      accepted: 1,
      rejected: [],
    });
  });

  it('rejects a bad row by its line and takes the rest', async () => {
    const good = JSON.stringify(tauRow(1, said('a')));
    const bodies = [
      [
        `{"header": true}\n${good}\n{"task_id": 1, "traj": [{"ro\n${good.replace('"a"', '"b"')}\n{"task_id":2,"traj":[]}`,
        [1, 3, 5],
      ],
      [`{"task_id": 1, "traj": [{"role": "us\n${good}\n${good.replace('"a"', '"b"')}`, [1]],
      [`[${good}, {"task_id": NaN}, ${good.replace('"a"', '"b"')}, {"task_id": 3, "traj": [`, [2, 4]],
    ] as const;
    for (const [body, lines] of bodies) {
      const { accepted, rejected } = await verdictOf(freshProject(), body);
      expect([accepted, rejected.map(({ line }) => line)]).toEqual([2, lines]);
      expect(rejected.every(({ error }) => error.length > 10)).toBe(true);
    }
  });

  it('keeps odd runs as they are: null content, one call id used twice, results missing or out of nowhere, broken arguments', async () => {
    const project = freshProject();
    const call = (id: string, name: string, args: unknown) => ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
    });
    const messages = [
      { role: 'user', content: 'x\u0000 \ud800 \u001b[31m' },
      call('c', 'first', '{"a": 1,   "b":[1,2]}'),
      { role: 'tool', tool_call_id: 'c', content: 'one' },
      call('c', 'second', '{"broken": '),
      { role: 'tool', tool_call_id: 'c', content: 'two' },
      { role: 'tool', tool_call_id: 'nowhere', content: null },
      call('', 'third', { an: 'object' }),
      { role: 'tool', tool_call_id: '', content: 'three' },
      { role: 'assistant' },
      call('d', 'unanswered', ''),
    ];
    const { trajectoryIds } = await verdictOf(project, JSON.stringify(tauRow(1, messages)));
    const { steps, messageCount } = await get(project, trajectoryIds[0]!);
    expect([steps.length, messageCount]).toEqual([10, 10]);
    expect(new Set(steps.map((step) => step.stepId)).size).toBe(10);
    expect(steps[0]?.content).toBe('x\u0000 \ud800 \u001b[31m');
    expect(steps.flatMap((step) => step.toolCalls ?? []).map((item) => item.arguments)).toEqual([
      '{"a": 1,   "b":[1,2]}',
      '{"broken": ',
      '{"an":"object"}',
      '',
    ]);
    expect(steps.filter((step) => step.role === 'tool').map((step) => step.toolName)).toEqual([
      'first',
      'second',
      undefined,
      'third',
    ]);
    expect(steps[8]).toMatchObject({ kind: 'model_call', content: null });
  });

  it('reads recorded chat completions with their usage, and hides answers among labels', async () => {
    const project = freshProject();
    const row = {
      request: {
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      },
      response: {
        id: 'r',
        model: 'm-1',
        choices: [{ message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      },
      workload_id: 'support',
      expected_answer: 'hello',
    };
    const { trajectoryIds } = await verdictOf(project, JSON.stringify(row));
    expect(await get(project, trajectoryIds[0]!)).toMatchObject({
      agent: 'support',
      source: 'openai-chat',
      outcome: { value: 'unknown' },
      usage: { inputTokens: 9, outputTokens: 2, cacheReadTokens: 4 },
      tools: [{ function: { name: 'f' } }],
      steps: [{ kind: 'message' }, { kind: 'model_call', responseId: 'r', finishReasons: ['stop'] }],
      metadata: { workload_id: 'support', 'label.expected_answer': 'hello' },
    });
  });

  it('keeps the good spans of an export, and reports the others by line', async () => {
    const project = freshProject();
    const mixed = exportRequest([...agentTrace({ trace: 1, outcome: 0 }), { traceId: 'bad', spanId: 'bad' }]);
    const { accepted, rejected, trajectoryIds } = await verdictOf(
      project,
      `${JSON.stringify(mixed)}\n{"resourceSpans":[]}`,
    );
    expect([accepted, rejected]).toEqual([
      1,
      [
        { line: 1, error: expect.stringMatching(/^1 of 5 spans were not taken/) },
        { line: 2, error: 'there is no span in it' },
      ],
    ]);
    expect(await get(project, trajectoryIds[0]!)).toMatchObject({
      outcome: { value: 'failure' },
      steps: { length: 4 },
    });
  });

  it('answers a wrong format, parameter, form or empty body with what to do', async () => {
    const cases: [number, RegExp, Promise<Answer>][] = [
      [400, /auto or one of .*tau-bench, .*openai-chat/, upload('bad', '{}', '?format=nope')],
      [400, /colour/, upload('bad', '{}', '?colour=red')],
      [400, /empty/, upload('bad', ' \n')],
      [400, /gzip/, upload('bad', 'plain', '', 'application/gzip')],
      [415, /--data-binary/, upload('bad', 'x', '', 'multipart/form-data; boundary=y')],
    ];
    for (const [status, detail, sent] of cases) {
      expect(await sent).toMatchObject({
        status,
        type: 'application/problem+json',
        json: { detail: expect.stringMatching(detail) as string },
      });
    }
    expect(await verdictOf('bad', 'hello, I am text')).toMatchObject({
      accepted: 0,
      rejected: [{ line: 1 }],
    });
  });
});
