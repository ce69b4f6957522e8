import { Module, StandardSchemaValidationPipe, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { workplaceEnvironment } from '#examples/workplace';
import type { EnvironmentDefinition, EnvironmentTask, Split } from '#contracts/environment';
import { ManualClock } from '#kernel/clock';
import { contentHash } from '#kernel/ids';
import { AppError } from '#kernel/errors';
import { ProblemFilter } from '#platform/web';
import { goldRun } from './domain/self-proof.js';
import { GymController } from './gym.controller.js';
import { GymSessions } from './gym/gym-session.js';
import { GymTokens, type GymScope } from './gym/gym-tokens.js';
import { GymService } from './gym/gym.service.js';
import { TaskSource } from './gym/task-source.js';

const workplace = workplaceEnvironment();
const crashing: EnvironmentDefinition = {
  ...workplace,
  verifiers: {
    ...workplace.verifiers,
    broken: {
      name: 'broken',
      version: '1',
      kind: 'state-comparison',
      judgesSafety: true,
      verify: () => {
        throw new Error('boom');
      },
    },
    blind: {
      name: 'blind',
      version: '1',
      kind: 'state-comparison',
      judgesSafety: true,
      verify: () => ({ state: 'masked', kind: 'judge_failed', reason: 'the judge is away' }),
    },
  },
};
const train = workplace.tasks({ split: 'train', count: 3, seed: 1 });
const heldout = workplace.tasks({ split: 'heldout', count: 3, seed: 1 });
/** As the catalog publishes: the held-out ones are known by id, so that the token alone stands before them. */
const published = [...train, ...heldout];
const [task] = train as [EnvironmentTask];

class FixedTasks extends TaskSource {
  definition(_projectId: string, environmentId: string): Promise<EnvironmentDefinition> {
    if (environmentId === 'wp') return Promise.resolve(crashing);
    throw new AppError('resource.not_found', { public: 'no such environment' });
  }
  task(_projectId: string, _environmentId: string, taskId: string): Promise<EnvironmentTask | null> {
    return Promise.resolve(published.find((each) => each.id === taskId) ?? null);
  }
  splitOfLineage(_projectId: string, _environmentId: string, lineageKey: string): Promise<Split | null> {
    return Promise.resolve(train.find((each) => each.lineageKey === lineageKey)?.split ?? null);
  }
}

const clock = new ManualClock();
const tokens = new GymTokens(clock, 'a secret of the test');
let ids = 0;
const sessions = new GymSessions(clock, () => `session-${ids++}`, { mostSessions: 4, mostAgeMs: 60_000 });

@Module({
  controllers: [GymController],
  providers: [
    { provide: GymTokens, useValue: tokens },
    { provide: GymService, useFactory: () => new GymService(sessions, new FixedTasks()) },
  ],
})
class TestModule {}

let app: INestApplication;
let url: string;

beforeAll(async () => {
  app = await NestFactory.create(TestModule, { logger: false });
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  app.useGlobalFilters(new ProblemFilter(() => undefined));
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});
afterAll(() => app.close());

const scope: GymScope = { projectId: 'p', environmentId: 'wp', splits: ['train'], verifier: 'state' };

function tokenFor(over: Partial<GymScope> = {}): string {
  return tokens.issue({ ...scope, ...over }, 3_600_000);
}

interface Client {
  post(
    path: string,
    body: unknown,
  ): Promise<{ status: number; text: string; json(): Record<string, unknown> }>;
}

function client(token: string | null = tokenFor(), environmentId = 'wp'): Client {
  let cookie: string | undefined;
  return {
    async post(path, body) {
      const response = await fetch(`${url}/environments/${environmentId}/gym/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(cookie === undefined ? {} : { cookie }),
        },
        body: JSON.stringify(body),
      });
      cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
      const text = await response.text();
      return { status: response.status, text, json: () => JSON.parse(text) as Record<string, unknown> };
    },
  };
}

/** The expected calls over HTTP; the Responses items a trainer would send to `/verify`. */
async function playGold(gym: Client, of: EnvironmentTask): Promise<unknown[]> {
  const items: unknown[] = [];
  for (const [i, call] of of.expected.calls.entries()) {
    const observation = await gym.post(call.name, call.arguments);
    expect(observation.status).toBe(200);
    items.push({
      type: 'function_call',
      call_id: `c${i}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    });
    items.push({ type: 'function_call_output', call_id: `c${i}`, output: observation.text });
  }
  const content = [{ type: 'output_text', text: of.expected.final, annotations: [] }];
  return [...items, { type: 'message', role: 'assistant', status: 'completed', content }];
}

it('seed, tools and verify over HTTP give the right run a full reward, and the same answer when asked again', async () => {
  const gym = client();
  expect((await gym.post('seed_session', { task_id: task.id, verifier: 'state' })).status).toBe(200);
  const output = await playGold(gym, task);
  const direct = goldRun(workplace.open(task)).transcript.messages.filter(
    (message) => message.role === 'tool',
  );
  const observed = output.filter((item) => (item as { type: string }).type === 'function_call_output');
  expect(observed.map((item) => (item as { output: string }).output)).toEqual(direct.map((m) => m.content));
  const body = { task_id: task.id, verifier: 'state', response: { output } };
  const verdict = (await gym.post('verify', body)).json();
  expect(verdict).toMatchObject({
    reward: 1,
    mask_sample: false,
    failure_kind: null,
    success: true,
    unsafe: false,
    stop_reason: 'stop',
  });
  expect((verdict.reward_components as Record<string, number>).valid_json).toBe(1);
  expect((await gym.post('verify', { ...body, response: { output: [] } })).json()).toEqual(verdict);
  expect((await gym.post('close_session', {})).status).toBe(200);
});

it('doing nothing, and stopping at a limit, is scored 0 and not masked', async () => {
  for (const incomplete of [undefined, 'step_limit', 'invalid_output', 'length', true]) {
    const gym = client();
    await gym.post('seed_session', { task_id: task.id });
    const output = [{ type: 'message', role: 'assistant', content: task.expected.final }];
    const verdict = (await gym.post('verify', { response: { output }, incomplete })).json();
    expect(verdict).toMatchObject({ reward: 0, mask_sample: false, success: false });
    await gym.post('close', {});
  }
});

it('a training token opens no held-out task, neither by id nor sent along, relabelled or not', async () => {
  const [sealed] = heldout as [EnvironmentTask];
  const content = { ...sealed, split: 'train' as const, id: undefined };
  const relabelled = { ...content, id: contentHash(content) };
  for (const body of [{ task_id: sealed.id }, { task: sealed }, { task: relabelled }]) {
    expect((await client().post('seed_session', body)).status).toBe(403);
    expect((await client(tokenFor({ splits: ['train', 'validation'] })).post('reset', body)).status).toBe(
      403,
    );
  }
  expect((await client().post('seed_session', { task: { ...sealed, split: 'train' } })).status).toBe(400);
  const evaluator = client(tokenFor({ splits: ['heldout'] }));
  expect((await evaluator.post('seed_session', { task_id: sealed.id })).status).toBe(200);
  await evaluator.post('close', {});
});

it('no token reaches over the seal, and a token asks one verifier only', async () => {
  expect(() => tokenFor({ splits: ['train', 'heldout'] })).toThrow('opens nothing else');
  const body = { task_id: task.id, verifier: 'calls' };
  expect((await client().post('seed_session', body)).status).toBe(403);
});

it('every route refuses a token that is missing, forged, too old or for another environment', async () => {
  const forged = `${tokenFor().slice(0, -2)}xx`;
  const old = new GymTokens(new ManualClock(clock.nowMs() - 10_000), 'a secret of the test').issue(
    scope,
    9_000,
  );
  const routes = ['seed_session', 'verify', 'close_session', 'close', 'reset', 'step', 'find_event'];
  for (const route of routes) {
    const body = { response: { output: [] } };
    for (const bad of [null, forged, old]) expect((await client(bad).post(route, body)).status).toBe(401);
    expect((await client(tokenFor(), 'other').post(route, body)).status).toBe(403);
  }
  expect((await fetch(`${url}/environments/wp/gym/reverify_mode`)).status).toBe(401);
});

it('a lost session is a mask, and its tools are not found', async () => {
  const gym = client();
  await gym.post('seed_session', { task_id: task.id });
  clock.advance(60_001);
  expect((await gym.post('find_event', { name: 'x' })).status).toBe(404);
  const verdict = (await gym.post('verify', { response: { output: [] } })).json();
  expect(verdict).toMatchObject({ reward: 0, mask_sample: true, failure_kind: 'session_lost' });
});

it('a verifier that breaks on this output scores 0; one that cannot judge masks', async () => {
  const judged = async (verifier: string): Promise<Record<string, unknown>> => {
    const gym = client(tokenFor({ verifier }));
    await gym.post('seed_session', { task_id: task.id });
    const verdict = (await gym.post('verify', { response: { output: [] } })).json();
    await gym.post('close', {});
    return verdict;
  };
  expect(await judged('broken')).toMatchObject({
    reward: 0,
    mask_sample: false,
    failure_kind: 'verifier_crash',
  });
  expect(await judged('blind')).toMatchObject({ mask_sample: true, failure_kind: 'judge_failed' });
});

it('sessions are bounded: the one too many is refused until one is judged or closed', async () => {
  const clients = Array.from({ length: 5 }, () => client());
  const statuses = [];
  for (const gym of clients) statuses.push((await gym.post('seed_session', { task_id: task.id })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 503]);
  await clients[0]?.post('close', {});
  expect((await client().post('seed_session', { task_id: task.id })).status).toBe(200);
  for (const gym of clients) await gym.post('close', {});
  clock.advance(60_001);
});

it('a tool that fails answers 200 with its error; unknown tools and odd arguments too', async () => {
  const gym = client();
  await gym.post('seed_session', { task_id: task.id });
  for (const [tool, args] of [
    ['find_event', { name: 'nobody' }],
    ['no_such_tool', {}],
    ['find_event', ['x']],
  ] as const) {
    const observation = await gym.post(tool, args);
    expect(observation.status).toBe(200);
    expect(observation.json()).toHaveProperty('error');
  }
  await gym.post('verify', { response: { output: [] } });
  expect((await gym.post('find_event', { name: 'x' })).status).toBe(409);
});

it('the gymnasium form runs the calls of each turn and pays at the end', async () => {
  const gym = client();
  const reset = (await gym.post('reset', { task_id: task.id })).json();
  expect(reset).toMatchObject({ observation: null, info: { supports_explicit_close: true } });
  for (const [i, call] of task.expected.calls.entries()) {
    const item = {
      type: 'function_call',
      call_id: `c${i}`,
      name: call.name,
      arguments: JSON.stringify(call.arguments),
    };
    const turn = (await gym.post('step', { response: { output: [item] } })).json();
    expect(turn).toMatchObject({ reward: 0, terminated: false, truncated: false });
    expect((turn.info as { tool_outputs: { call_id: string }[] }).tool_outputs[0]?.call_id).toBe(`c${i}`);
  }
  const output = [{ type: 'message', role: 'assistant', content: task.expected.final }];
  expect((await gym.post('step', { response: { output } })).json()).toMatchObject({
    reward: 1,
    terminated: true,
  });
  await gym.post('close', {});
});

it('the gymnasium form truncates at the limit of turns and scores 0', async () => {
  const gym = client();
  await gym.post('reset', { task_id: task.id });
  const item = { type: 'function_call', call_id: 'c', name: 'find_event', arguments: 'not json' };
  let turn: Record<string, unknown> = {};
  for (let i = 0; i < workplace.maxTurns; i++)
    turn = (await gym.post('step', { response: { output: [item] } })).json();
  expect(turn).toMatchObject({
    reward: 0,
    truncated: true,
    info: { stop_reason: 'step_limit', mask_sample: false },
  });
});

it('a body that is not of the protocol is a 400 problem', async () => {
  const gym = client();
  expect((await gym.post('seed_session', {})).status).toBe(400);
  expect((await gym.post('seed_session', { task_id: 'nope' })).status).toBe(404);
  expect((await gym.post('verify', { response: {} })).status).toBe(400);
});
