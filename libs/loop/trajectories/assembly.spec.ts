import type { ClickHouse } from '#platform/clickhouse';
import { completedTopic } from './completed-feed.js';
import { decodeExportRequest } from './domain/otlp.js';
import { agentTrace, exportRequest, spanIdOf, traceIdOf, type SpanSpec } from './testing/otlp.js';
import { stageOn, startStore, type StageParts } from './testing/store.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let projects = 0;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
});
afterAll(() => closeStore());

const freshProject = (): string => `p-${(projects += 1)}`;
const send = (stage: StageParts, projectId: string, spans: readonly SpanSpec[]): Promise<void> =>
  stage.spans.addSpans(projectId, decodeExportRequest(exportRequest(spans)).spans);
const capture = (projectId: string, responseId: string) => ({
  projectId,
  responseId,
  agent: 'helper',
  policy: 'tiny-abc',
  agentRef: 'ref-1',
  sessionId: null,
  promptTokens: 11,
  completionTokens: 5,
  costUsd: 0.25,
  latencyMs: 2.5,
  servedAtNs: '1700000000001000000',
});

/** Lets 11 s of the stream pass: another project's span is the newer receipt. */
async function quietPasses(stage: StageParts): Promise<void> {
  stage.clock.advance(11_000);
  await send(stage, freshProject(), [
    { traceId: traceIdOf(99), spanId: spanIdOf(990), parentSpanId: spanIdOf(989) },
  ]);
  await stage.sweep.run();
}

const listOf = async (stage: StageParts, projectId: string) =>
  (await stage.trajectories.list({ projectId, limit: 100 })).items;

describe('from spans to trajectories', () => {
  it('stores, completes after 10 quiet seconds of stream time, lists and announces a run', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    await send(stage, projectId, agentTrace({ trace: 1, outcome: 1 }));
    stage.clock.advance(11_000);
    await stage.sweep.run();
    expect(await listOf(stage, projectId)).toEqual([]);

    await quietPasses(stage);
    const items = await listOf(stage, projectId);
    expect(items).toMatchObject([
      {
        agent: 'helper',
        revision: 1,
        stepCount: 4,
        modelCallCount: 2,
        sessionId: 's-1',
        outcome: { value: 'success', source: 'explicit' },
      },
    ]);
    expect(stage.events).toContainEqual({ projectId, trajectoryId: items[0]?.id, revision: 1 });
    const whole = await stage.trajectories.get(projectId, items[0]?.id ?? '');
    expect(whole.steps.map((step) => step.kind)).toEqual([
      'message',
      'model_call',
      'tool_call',
      'model_call',
    ]);
    expect(whole).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 8, cacheReadTokens: 12 },
      costUsd: null,
      reward: 1,
    });
  });

  it('completes an open trace by the deadline when the stream has stopped', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    await send(stage, projectId, agentTrace({ trace: 2 }).slice(1));
    stage.clock.advance(59_000);
    await stage.sweep.run();
    expect(await listOf(stage, projectId)).toEqual([]);
    stage.clock.advance(2_000);
    await stage.sweep.run();
    expect(await listOf(stage, projectId)).not.toEqual([]);
  });

  it('changes no count, sum or revision when everything is sent again', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    const spans = agentTrace({ trace: 3, outcome: 0 });
    await send(stage, projectId, spans);
    await quietPasses(stage);
    const before = [await stage.trajectories.stats(projectId), await listOf(stage, projectId)];
    for (let again = 0; again < 3; again++) await send(stage, projectId, spans);
    await quietPasses(stage);
    expect([await stage.trajectories.stats(projectId), await listOf(stage, projectId)]).toEqual(before);
    expect(before[0]).toMatchObject({
      spans: 4,
      trajectories: 1,
      modelCalls: 2,
      inputTokens: 20,
      outputTokens: 8,
    });
  });

  it('makes a new revision of late spans, keeps step ids, and retracts what they take in', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    const [root, ...below] = agentTrace({ trace: 4, outcome: 1 });
    await send(stage, projectId, below);
    stage.clock.advance(61_000);
    await stage.sweep.run();
    const early = await listOf(stage, projectId);
    expect(early).toHaveLength(3);
    const earlySteps = (
      await Promise.all(early.map(({ id }) => stage.trajectories.get(projectId, id)))
    ).flatMap((item) => item.steps);

    await send(stage, projectId, [root!]);
    await quietPasses(stage);
    const items = await listOf(stage, projectId);
    expect(items).toMatchObject([
      { agent: 'helper', revision: 1, stepCount: 4, outcome: { value: 'success' } },
    ]);
    expect((await stage.trajectories.stats(projectId)).trajectories).toBe(1);
    const spanSteps = (await stage.trajectories.get(projectId, items[0]!.id)).steps.filter(
      (step) => step.kind !== 'message',
    );
    expect(earlySteps.map((step) => step.stepId)).toEqual(
      expect.arrayContaining(spanSteps.map((step) => step.stepId)),
    );

    await send(stage, projectId, [{ ...below[1]!, spanId: spanIdOf(45), startMs: 4, endMs: 5 }]);
    await quietPasses(stage);
    expect(await listOf(stage, projectId)).toMatchObject([{ id: items[0]!.id, revision: 2, stepCount: 5 }]);
  });

  it('takes up incomplete traces in a new process, and work done but not noted changes nothing when redone', async () => {
    const projectId = freshProject();
    const first = stageOn(clickhouse);
    await send(first, projectId, agentTrace({ trace: 5 }));
    const second = stageOn(clickhouse, first.clock);
    await quietPasses(second);
    const items = await listOf(second, projectId);
    expect(items).toHaveLength(1);
    await second.assembler.assemble(projectId, [traceIdOf(5)]);
    expect(await listOf(second, projectId)).toEqual(items);
  });

  it('announces again when a receiver failed', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    let broken = true;
    await stage.stream.subscribe(completedTopic, 'broken', () =>
      broken ? Promise.reject(new Error('away')) : Promise.resolve(),
    );
    await send(stage, projectId, agentTrace({ trace: 6 }));
    stage.clock.advance(61_000);
    await expect(stage.sweep.run()).rejects.toThrow('away');
    const [item] = await listOf(stage, projectId);
    broken = false;
    stage.events.length = 0;
    await stage.sweep.run();
    expect(stage.events).toContainEqual({ projectId, trajectoryId: item?.id, revision: 1 });
    expect(await listOf(stage, projectId)).toEqual([item]);
  });
});

describe("the gateway's captures", () => {
  it('are the steps of the calls they captured: policy, tokens, time and cost once, also when captured and sent twice', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    const captures = [capture(projectId, 'r-1'), capture(projectId, 'r-2')];
    for (let again = 0; again < 2; again++) {
      await stage.trajectories.recordModelCalls(captures);
      await send(stage, projectId, agentTrace({ trace: 7, responseIds: ['r-1', 'r-2'] }));
    }
    await quietPasses(stage);
    const [item] = await listOf(stage, projectId);
    const { steps, ...whole } = await stage.trajectories.get(projectId, item!.id);
    expect(whole).toMatchObject({
      policy: 'tiny-abc',
      agentRef: 'ref-1',
      costUsd: 0.5,
      usage: { inputTokens: 22, outputTokens: 10 },
    });
    const calls = steps.filter((step) => step.kind === 'model_call');
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatchObject({
      model: 'tiny',
      responseModel: 'tiny-abc',
      startNs: '1700000000001000000',
      endNs: '1700000000003500000',
    });
    expect(await stage.trajectories.stats(projectId)).toMatchObject({
      modelCalls: 2,
      capturedCalls: 2,
      inputTokens: 22,
      capturedPromptTokens: 22,
      outputTokens: 10,
      capturedCompletionTokens: 10,
    });
  });
});

describe('reads', () => {
  it('never cross projects, and page, filter, sample and rate what is stored', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    for (let n = 0; n < 5; n++)
      await send(stage, projectId, agentTrace({ trace: 10 + n, outcome: n % 2, startMs: n * 1_000 }));
    await quietPasses(stage);
    const all = await listOf(stage, projectId);
    expect(all).toHaveLength(5);

    const paged = [];
    let cursor: string | undefined;
    do {
      const page = await stage.trajectories.list({ projectId, limit: 2, cursor });
      paged.push(...page.items);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(paged).toEqual(all);

    const ids = async (query: object) =>
      (await stage.trajectories.list({ projectId, limit: 100, ...query })).items.length;
    expect(await ids({ outcome: 'success' })).toBe(2);
    expect(await ids({ agent: 'nobody' })).toBe(0);
    expect(await ids({ q: 'TASK 12' })).toBe(1);
    expect(await ids({ q: '"name": "Ada"' })).toBe(5);
    expect(await ids({ ids: [all[0]!.id] })).toBe(1);
    expect(await ids({ ids: [] })).toBe(0);
    expect(await ids({ sinceMs: 1_700_000_003_000 })).toBe(2);
    expect(await ids({ untilMs: 1_700_000_003_000 })).toBe(3);

    const sample = (seed: number) =>
      stage.trajectories.sample({ projectId, agent: 'helper', count: 3, seed });
    expect((await sample(1)).map(({ id }) => id)).toEqual((await sample(1)).map(({ id }) => id));
    expect(await sample(1)).toHaveLength(3);
    const rates = await stage.trajectories.successRate({
      projectId,
      agent: 'helper',
      sinceMs: 0,
      bucketMs: 3_600_000,
    });
    expect(rates).toMatchObject([{ policy: null, success: 2, failure: 3, unknown: 0 }]);

    const stranger = freshProject();
    await expect(stage.trajectories.get(stranger, all[0]!.id)).rejects.toMatchObject({
      code: 'resource.not_found',
    });
    expect(await listOf(stage, stranger)).toEqual([]);
    expect((await stage.trajectories.stats(stranger)).spans).toBe(0);
    await expect(stage.trajectories.list({ projectId, limit: 2, cursor: 'WzEsMl0' })).rejects.toMatchObject({
      code: 'request.invalid',
    });
  });
});
