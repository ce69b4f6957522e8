import type { ClickHouse } from '#platform/clickhouse';
import { decodeExportRequest } from './domain/otlp.js';
import { agentTrace, exportRequest, spanIdOf, traceIdOf, type SpanSpec } from './testing/otlp.js';
import { stageOn, startStore, type StageParts } from './testing/store.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let projects = 0;

beforeAll(async () => ({ clickhouse, close: closeStore } = await startStore()));
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

describe('from spans to trajectories', () => {
  it('stores, completes after 10 quiet seconds of stream time, lists and announces a run', async () => {
    const projectId = freshProject();
    const stage = stageOn(clickhouse);
    await send(stage, projectId, agentTrace({ trace: 1, outcome: 1 }));
    stage.clock.advance(10_000);
    expect(await stage.sweep.run()).toBe(0);

    await send(stage, projectId, [{ traceId: traceIdOf(99), spanId: spanIdOf(990), parentSpanId: spanIdOf(989) }]);
    expect(await stage.sweep.run()).toBe(1);
    const { items } = await stage.trajectories.list({ projectId, limit: 10 });
    expect(items).toMatchObject([{ agent: 'helper', revision: 1, stepCount: 4, modelCallCount: 2, sessionId: 's-1', outcome: { value: 'success', source: 'explicit' } }]);
    expect(stage.feed.events).toEqual([{ projectId, trajectoryId: items[0]?.id, revision: 1 }]);
    expect((await stage.trajectories.get(projectId, items[0]?.id ?? '')).steps.map((step) => step.kind)).toEqual(['message', 'model_call', 'tool_call', 'model_call']);
  });
});
