import type { Trajectory } from '#contracts/trajectory';
import { TestStage, testSettings, type TestApp } from './testing/test-app.js';

const projectId = 'default';

let stage: TestStage;
let app: TestApp;

beforeAll(async () => {
  stage = await TestStage.open();
  app = await stage.start();
});
afterAll(() => stage.close());

describe('a bucket of an agent without an environment', () => {
  const other = 'airline';
  const bucketId = 'b-airline';

  beforeAll(() => {
    const steps = [
      { stepId: 'a', index: 0, kind: 'message', role: 'user', content: 'book it' },
      {
        stepId: 'b',
        index: 1,
        kind: 'model_call',
        role: 'assistant',
        content: null,
        toolCalls: [{ id: '1', name: 'wipe', arguments: '{}' }],
      },
    ];
    const ids = Array.from({ length: 30 }, (_, i) => `air-${i}`);
    for (const id of ids) {
      stage.failures.runs.set(id, {
        id,
        source: 'tau-bench',
        tools: [],
        steps,
        metadata: { task_id: id },
      } as unknown as Trajectory);
    }
    const fault = { category: 'unsafe_action', detail: 'destructive', stepIndex: 1 } as const;
    const faults = [...ids, 'gone'].map((trajectoryId) => ({ ...fault, trajectoryId }));
    stage.failures.buckets.set(bucketId, { agent: other, faults });
  });

  it('becomes eval cases, then a next-action environment and a sealed suite that a policy can be measured on', async () => {
    await expect(app.catalog.registerNextAction(projectId, other)).rejects.toThrow('no accepted eval case');
    const { cases, skipped } = await app.cases.draftFromBucket(projectId, bucketId, 100);
    expect(skipped).toEqual([{ trajectoryId: 'gone', reason: 'the trajectory is no longer stored' }]);
    expect(cases).toHaveLength(30);
    expect(await app.cases.count(projectId)).toBe(30);
    const [rejected] = cases;
    await app.cases.review(projectId, rejected?.id ?? '', { status: 'rejected', note: 'asked for' });
    const again = await app.cases.draftFromBucket(projectId, bucketId, 100);
    expect(again.cases.find((each) => each.id === rejected?.id)).toMatchObject({
      status: 'rejected',
      note: 'asked for',
    });

    const facts = await app.catalog.registerNextAction(projectId, other);
    expect(facts).toMatchObject({ name: 'airline-next-action', fidelity: 'next-action', maxTurns: 1 });
    const suite = await app.suites.createFromBuckets({
      projectId,
      agent: other,
      cases: 50,
      bucketIds: [bucketId],
    });
    expect(suite.cases).toBe(
      cases.filter((each) => each.split === 'heldout' && each.id !== rejected?.id).length,
    );

    const restarted = await stage.start();
    const server = await stage.serve([]);
    const measured = await restarted.runs.measure({
      projectId,
      runId: 'air-1',
      suiteId: suite.id,
      purpose: 'baseline',
      fencing: 1,
      arms: { baseline: { baseUrl: server.baseUrl, model: 'polite' } },
      settings: testSettings({ repeats: 1 }),
    });
    expect(measured.byArm.baseline?.success.value?.estimate).toBe(1);
    expect(measured.cases[0]).toMatchObject({ safetySlice: true, bucketIds: [bucketId] });
  });

  it('keeps the payload of a held-out case sealed, also when a person edits its checker', async () => {
    const listed = await app.cases.list(projectId, {
      agent: other,
      status: 'ready',
      limit: 100,
      before: null,
    });
    const heldout = listed.find((each) => each.split === 'heldout');
    await app.cases.review(projectId, heldout?.id ?? '', { status: 'ready', checker: { type: 'schema' } });
    const row = await stage.postgres
      .tables<{ eval_cases: { id: string; payload: unknown; sealed: string | null } }>()
      .selectFrom('eval_cases')
      .select(['payload', 'sealed'])
      .where('id', '=', heldout?.id ?? '')
      .executeTakeFirstOrThrow();
    expect(row.payload).toBeNull();
    const [opened] = await app.cases.named(projectId, [heldout?.id ?? '']);
    expect(opened?.frozen.checker).toEqual({ type: 'schema' });
  });
});
