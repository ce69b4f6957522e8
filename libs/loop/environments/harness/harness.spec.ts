import { workplaceEnvironment } from '#examples/workplace';
import type { EnvironmentTask, TaskQuery } from '#contracts/environment';
import { caseRunOf, Rollout } from '#contracts/rollout';
import { ManualClock } from '#kernel/clock';
import {
  rightAct,
  startChatServer,
  type ChatServer,
  type ScriptedReply,
  type ScriptedRequest,
} from '../testing/chat-server.js';
import { runTask } from './builtin.js';
import { rolloutKey, runRollouts, type RolloutBatch } from './run-rollouts.js';

const definition = workplaceEnvironment();
const sampling = { temperature: 0.7, topP: 1, maxTokens: 32 };
const query: TaskQuery = { split: 'validation', count: 6, seed: 3 };
const tasks = definition.tasks(query);
const [firstTask] = tasks as [EnvironmentTask];

let server: ChatServer;
afterEach(() => server.close());

async function serving(script: (request: ScriptedRequest) => ScriptedReply): Promise<ChatServer> {
  server = await startChatServer(script);
  return server;
}

function taskOf(request: ScriptedRequest): EnvironmentTask {
  const said = request.messages[0]?.content;
  return tasks.find((task) => task.messages[0]?.content === said) as EnvironmentTask;
}

function runFirst(model = 'base', timeoutMs = 10_000) {
  const policy = { baseUrl: server.baseUrl, model, timeoutMs };
  return runTask({ definition, task: firstTask, policy, sampling, seed: 5 });
}

function batch(over: Partial<RolloutBatch> = {}): RolloutBatch {
  return {
    runId: 'run',
    definition,
    cases: tasks.map((task) => ({ caseId: task.id, task })),
    arms: { baseline: { baseUrl: `${server.baseUrl}/v1`, model: 'base' } },
    repeats: 1,
    seed: 1,
    sampling,
    price: { inputPerMillionUsd: 1, outputPerMillionUsd: 2 },
    verifiers: { paid: definition.defaultVerifier, independent: definition.independentVerifier },
    concurrency: 4,
    clock: new ManualClock(),
    ...over,
  };
}

it('a right run is scored as a success by both verifiers, with its calls, tokens and cost', async () => {
  await serving((request) => rightAct(taskOf(request), request.messages));
  const rollouts = await runRollouts(batch());
  expect(rollouts).toHaveLength(tasks.length);
  for (const rollout of rollouts) {
    expect(Rollout.parse(rollout)).toEqual(rollout);
    const { length: turns } = rollout.modelCalls;
    expect(caseRunOf(rollout)).toMatchObject({
      state: 'scored',
      success: true,
      unsafe: false,
      independentPass: true,
    });
    expect(rollout.toolCalls).toHaveLength(turns - 1);
    expect(rollout.costUsd).toBeCloseTo((turns * (10 + 2 * 5)) / 1e6);
  }
});

it('arguments that are no JSON object are an error the policy sees, and an invalid run that scores 0', async () => {
  await serving(({ messages }) =>
    messages.length === 1 ? { calls: [{ name: 'find_event', arguments: '{"name": ' }] } : { content: 'done' },
  );
  const run = await runFirst();
  expect(run.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(run).toMatchObject({ invalidOutput: true, end: { state: 'done', stopReason: 'stop' } });
});

it('a call that the server could not parse comes back as text, and ends the run as invalid output', async () => {
  await serving(() => ({ content: '<tool_call>{"name": "find_event", "argum' }));
  const [rollout] = await runRollouts(batch({ cases: [{ caseId: 'c', task: firstTask }] }));
  expect(rollout).toMatchObject({ state: 'scored', stopReason: 'invalid_output', invalidOutput: true });
  expect(rollout?.paid).toMatchObject({ state: 'scored', success: false, reward: 0 });
});

it('an unknown tool and arguments outside the schema are invalid output, whatever the environment says', async () => {
  for (const call of [
    { name: 'no_such_tool', arguments: '{}' },
    { name: 'find_event', arguments: '{"name": 7}' },
  ]) {
    await serving(({ messages }) => (messages.length === 1 ? { calls: [call] } : { content: 'done' }));
    expect(await runFirst()).toMatchObject({ invalidOutput: true, toolCalls: [call.name] });
    await server.close();
  }
  await serving(() => 'hang');
});

it('a run that never ends by itself stops at the limit of turns and is scored', async () => {
  await serving(() => ({ calls: [{ name: 'find_event', arguments: '{"name": "nobody"}' }] }));
  const run = await runFirst();
  expect(run.end).toEqual({ state: 'done', stopReason: 'step_limit' });
  expect(run.modelCalls).toHaveLength(definition.maxTurns);
  expect(run.toolError).toBe(true);
});

it('a cut answer stops the run as length', async () => {
  await serving(() => ({ content: 'and then and then', finishReason: 'length' }));
  expect((await runFirst()).end).toEqual({ state: 'done', stopReason: 'length' });
});

it('a prompt beyond the window is the doing of the policy: length, not a mask', async () => {
  await serving(() => ({ status: 400, body: "This model's maximum context length is 256 tokens" }));
  expect((await runFirst()).end).toEqual({ state: 'done', stopReason: 'length' });
});

it.each<[string, ScriptedReply, string]>([
  ['an error of the server', { status: 503, body: 'busy' }, 'policy_http_503'],
  ['a refused key', { status: 401, body: 'no' }, 'policy_http_401'],
  ['a dropped connection', 'reset', 'policy_connection'],
  ['a server that hangs', 'hang', 'policy_timeout'],
  ['an answer that is no completion', { raw: '<html>' }, 'policy_bad_response'],
])('%s is masked with its kind, never a 0', async (_what, reply, kind) => {
  await serving(() => reply);
  const arms = { baseline: { baseUrl: server.baseUrl, model: 'base', timeoutMs: 300 } };
  const [rollout] = await runRollouts(batch({ arms, cases: [{ caseId: 'c', task: firstTask }] }));
  expect(rollout).toMatchObject({ state: 'masked', kind, stopReason: null, paid: null, independent: null });
  expect(caseRunOf(rollout as Rollout)).toMatchObject({ state: 'masked', success: null, costUsd: 0 });
});

it('an error that passes is tried again and leaves no trace in the measurement', async () => {
  let refused = 0;
  await serving((request) =>
    refused++ === 0 ? { status: 500, body: 'once' } : rightAct(firstTask, request.messages),
  );
  const run = await runFirst();
  expect(run.end).toEqual({ state: 'done', stopReason: 'stop' });
  expect(run.modelCalls).toHaveLength(firstTask.expected.calls.length + 1);
});

it('paired arms take turns, share the seed of a case, and differ in it between cases', async () => {
  await serving((request) => rightAct(taskOf(request), request.messages));
  const endpoint = (model: string) => ({ baseUrl: server.baseUrl, model });
  const arms = { baseline: endpoint('base'), candidate: endpoint('lora') };
  const rollouts = await runRollouts(batch({ arms, repeats: 2, concurrency: 1 }));
  const firstTurns = server.requests.filter((request) => request.messages.length === 1).map((r) => r.model);
  expect(firstTurns.slice(0, 4)).toEqual(['base', 'lora', 'lora', 'base']);
  const seeds = new Map<string, Set<number>>();
  for (const { caseId, repeat, seed } of rollouts) {
    seeds.set(`${caseId}/${repeat}`, (seeds.get(`${caseId}/${repeat}`) ?? new Set()).add(seed));
  }
  expect([...seeds.values()].every((same) => same.size === 1)).toBe(true);
  expect(new Set(rollouts.map((rollout) => rollout.seed)).size).toBe(tasks.length * 2);
});

it('what is done already is not run again', async () => {
  await serving((request) => rightAct(taskOf(request), request.messages));
  const done = new Set(
    tasks.slice(1).map((task) => rolloutKey({ arm: 'baseline', caseId: task.id, repeat: 0 })),
  );
  const rollouts = await runRollouts(batch({ done }));
  expect(rollouts.map((rollout) => rollout.caseId)).toEqual([firstTask.id]);
});

it('an aborted batch throws the reason and starts nothing more', async () => {
  const abort = new AbortController();
  await serving((request) => {
    abort.abort(new Error('stopped by a person'));
    return rightAct(taskOf(request), request.messages);
  });
  await expect(runRollouts(batch({ signal: abort.signal, concurrency: 1 }))).rejects.toThrow(
    'stopped by a person',
  );
  expect(server.requests).toHaveLength(1);
});
