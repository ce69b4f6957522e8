import { readFileSync } from 'node:fs';
import { workplaceEnvironment } from '#examples/workplace';
import type { EnvironmentTask } from '#contracts/environment';
import type { Trajectory } from '#contracts/trajectory';
import { assertDisjoint, EvaluatorKey } from '#loop/evals';
import { TestStage, testSettings, type TestApp } from './testing/test-app.js';

const projectId = 'p';
const agent = 'workplace-assistant';
const workplace = workplaceEnvironment();

let stage: TestStage;
let app: TestApp;
let environmentId: string;

beforeAll(async () => {
  stage = await TestStage.open();
  app = await stage.start();
  environmentId = (await app.catalog.register(projectId, agent, workplace)).id;
});
afterAll(() => stage.close());

async function openedTasks(suiteId: string): Promise<EnvironmentTask[]> {
  return (await app.suites.opened(projectId, suiteId)).map((each) => each.task);
}

describe('the catalog', () => {
  it('gives one content one version, found by agent, with its label and proof', async () => {
    expect((await app.catalog.register(projectId, agent, workplaceEnvironment())).id).toBe(environmentId);
    expect(await app.catalog.forAgent(projectId, agent)).toMatchObject({
      id: environmentId,
      fidelity: 'simulated',
    });
    expect(await app.catalog.get(projectId, environmentId)).toMatchObject({ proof: { ok: true } });
    expect(await app.catalog.forAgent('another project', agent)).toBeNull();
  });

  it('prefers an environment with a state over a later one of frozen next actions', async () => {
    const both = 'agent with both';
    const { id } = await app.catalog.register(projectId, both, workplace);
    const nextAction = {
      ...workplace,
      name: 'later',
      digest: 'a'.repeat(32),
      fidelity: 'next-action' as const,
    };
    await app.catalog.register(projectId, both, nextAction);
    expect(await app.catalog.forAgent(projectId, both)).toMatchObject({ id, fidelity: 'simulated' });
  });

  it('refuses an environment that does not prove itself, and keeps nothing of it', async () => {
    const bad = {
      ...workplace,
      name: 'bad',
      digest: 'f'.repeat(32),
      defaultVerifier: 'state-without-safety',
    };
    await expect(app.catalog.register(projectId, 'bad agent', bad)).rejects.toThrow('does not prove itself');
    expect(await app.catalog.forAgent(projectId, 'bad agent')).toBeNull();
  });

  it('finds published tasks again after a restart, and never publishes held-out ones', async () => {
    const [task] = await app.catalog.publish(projectId, environmentId, { split: 'train', count: 5, seed: 9 });
    const restarted = await stage.start();
    await restarted.catalog.register(projectId, agent, workplaceEnvironment());
    expect(await restarted.catalog.task(projectId, environmentId, task?.id ?? '')).toEqual(task);
    expect(await restarted.catalog.task('another project', environmentId, task?.id ?? '')).toBeNull();
    const sealed = { split: 'heldout' as const, count: 1, seed: 1 };
    await expect(app.catalog.publish(projectId, environmentId, sealed)).rejects.toThrow('never published');
  });

  it('lets a verifier train only with its hand-scored file, or a waiver that is shown as one', async () => {
    const file: unknown = JSON.parse(
      readFileSync(
        new URL('../../../examples/workplace/verifier-state.scored.json', import.meta.url),
        'utf8',
      ),
    );
    const of = (verifier: string, admission: 'required' | 'waived') =>
      app.catalog.admissionOf(projectId, environmentId, verifier, { admission });
    expect(await of('state', 'required')).toMatchObject({ state: 'missing', report: null });
    await app.catalog.admit(projectId, environmentId, file);
    expect(await of('state', 'required')).toMatchObject({ state: 'admitted', report: { admitted: true } });
    expect(await of('hackable', 'required')).toMatchObject({ state: 'missing' });
    expect(await of('hackable', 'waived')).toMatchObject({ state: 'waived', report: null });
    await expect(app.catalog.admit(projectId, environmentId, { outputs: 1 })).rejects.toThrow('not readable');
  });
});

describe('suites', () => {
  it('are stored sealed, open with the key alone, and share no lineage with training', async () => {
    const suite = await app.suites.createTraffic({ projectId, agent, cases: 40 });
    expect(suite).toMatchObject({ kind: 'traffic', split: 'heldout', version: 1, cases: 40 });
    const rows = await stage.postgres
      .tables<{ eval_suite_cases: { suite_id: string; payload: unknown; sealed: string | null } }>()
      .selectFrom('eval_suite_cases')
      .select(['payload', 'sealed'])
      .where('suite_id', '=', suite.id)
      .execute();
    expect(rows).toHaveLength(40);
    expect(rows.every((row) => row.payload === null && row.sealed !== null)).toBe(true);
    const tasks = await openedTasks(suite.id);
    expect(tasks.every((task) => task.split === 'heldout')).toBe(true);
    await expect(app.suites.payloads(projectId, suite.id, EvaluatorKey.ephemeral())).rejects.toThrow(
      'cannot be opened',
    );
    const trained = await app.catalog.publish(projectId, environmentId, {
      split: 'train',
      count: 300,
      seed: 2,
    });
    assertDisjoint(
      trained.map((task) => task.lineageKey),
      suite.lineageKeys,
    );
    expect(new Set(tasks.map((task) => task.lineageKey))).toEqual(new Set(suite.lineageKeys));
  });

  it('stay the same version until the readings are used up; then fresh cases are drawn', async () => {
    const ask = () => app.suites.createSafety({ projectId, agent, cases: 12, readingBudget: 2 });
    const first = await ask();
    expect((await openedTasks(first.id)).every((task) => task.risky)).toBe(true);
    expect(await app.suites.recordReading(projectId, first.id, 'verdict-1')).toEqual({ used: 0, budget: 2 });
    expect(await app.suites.recordReading(projectId, first.id, 'verdict-1')).toEqual({ used: 0, budget: 2 });
    expect((await ask()).id).toBe(first.id);
    expect(await app.suites.recordReading(projectId, first.id, 'verdict-2')).toEqual({ used: 1, budget: 2 });
    const second = await ask();
    expect(second).toMatchObject({ version: 2, readings: { used: 0, budget: 2 } });
    const known = new Set((await openedTasks(first.id)).map((task) => task.id));
    expect((await openedTasks(second.id)).some((task) => known.has(task.id))).toBe(false);
  });

  it('from buckets hold the kinds that failed there, each case with its buckets', async () => {
    const trajectory = (id: string, metadata: Trajectory['metadata']) =>
      stage.failures.runs.set(id, {
        id,
        metadata,
        steps: [],
        tools: [],
        source: 'otlp',
      } as unknown as Trajectory);
    trajectory('t1', { 'workplace.family': 'cancel_event' });
    trajectory('t2', { 'workplace.family': 'reply_email', 'workplace.slice': 'reply_email/injected' });
    const fault = { category: 'wrong_tool', detail: null, stepIndex: 1 } as const;
    stage.failures.buckets.set('b1', { agent, faults: [{ ...fault, trajectoryId: 't1' }] });
    stage.failures.buckets.set('b2', {
      agent,
      faults: [
        { ...fault, trajectoryId: 't2' },
        { ...fault, trajectoryId: 't1' },
      ],
    });
    const suite = await app.suites.createFromBuckets({
      projectId,
      agent,
      cases: 30,
      bucketIds: ['b2', 'b1'],
    });
    const cases = await app.suites.payloads(projectId, suite.id, stage.key);
    const slices = new Set(cases.map((each) => each.slice));
    expect(slices).toEqual(new Set(['cancel_event/free', 'cancel_event/locked', 'reply_email/injected']));
    for (const each of cases) {
      expect(each.bucketIds).toEqual(each.family === 'cancel_event' ? ['b1', 'b2'] : ['b2']);
      expect(each.safetySlice).toBe(each.task.safeActRequired);
      expect(each.tools).toContain(each.task.expected.calls[0]?.name);
    }
    await expect(
      app.suites.createFromBuckets({ projectId, agent, cases: 3, bucketIds: ['unknown'] }),
    ).rejects.toThrow('which kind of task');
  });
});

describe('measurements', () => {
  it('pair two policies case by case, with rates, latency and cost, and are stored', async () => {
    const suite = await app.suites.createTraffic({ projectId, agent, cases: 40 });
    const server = await stage.serve(await openedTasks(suite.id));
    const policy = (model: string) => ({ baseUrl: server.baseUrl, model });
    const measured = await app.runs.measure({
      projectId,
      runId: 'gate-1',
      suiteId: suite.id,
      purpose: 'gate',
      fencing: 1,
      arms: { baseline: policy('weak'), candidate: policy('good') },
      settings: testSettings(),
    });
    expect(measured.cases).toHaveLength(40);
    expect(measured.plan).toEqual({ caseIds: measured.cases.map((each) => each.caseId), runs: 2 });
    for (const { runs } of measured.cases) {
      expect(runs.candidate).toHaveLength(2);
      expect(runs.candidate.every((run) => run.success === true && run.independentPass === true)).toBe(true);
      expect(runs.baseline.every((run) => run.success === false && run.state === 'scored')).toBe(true);
    }
    expect(measured.byArm.candidate?.success.value?.estimate).toBe(1);
    expect(measured.latency.calls.baseline).toBe(80);
    const row = await app.runs.get(projectId, 'gate-1');
    expect(row).toMatchObject({ state: 'done', arms: { baseline: 'weak', candidate: 'good' }, fencing: 1 });
    expect(row.summary?.byArm.baseline?.rates.valid_json.value?.estimate).toBe(1);
  });

  it('go on where an attempt was stopped, without a run lost or made twice', async () => {
    const suite = await app.suites.createTraffic({ projectId, agent, cases: 40 });
    const tasks = await openedTasks(suite.id);
    const stop = new AbortController();
    let requests = 0;
    const server = await stage.serve(
      tasks,
      () => void (++requests === 60 && stop.abort(new Error('stopped'))),
    );
    const attempt = (fencing: number, signal?: AbortSignal) =>
      app.runs.measure({
        projectId,
        runId: 'baseline-1',
        suiteId: suite.id,
        purpose: 'baseline',
        fencing,
        arms: { baseline: { baseUrl: server.baseUrl, model: 'good' } },
        settings: testSettings({ repeats: 1 }),
        ...(signal ? { signal } : {}),
      });
    await expect(attempt(1, stop.signal)).rejects.toThrow('stopped');
    const kept = (await app.runs.rollouts(projectId, 'baseline-1')).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(40);
    const before = server.requests.length;
    const measured = await attempt(2);
    const remade = new Set(server.requests.slice(before).map((request) => request.messages[0]?.content));
    expect(remade.size).toBeLessThanOrEqual(40 - kept);
    expect(measured.cases.every(({ runs }) => runs.baseline.length === 1)).toBe(true);
    expect(await app.runs.rollouts(projectId, 'baseline-1')).toHaveLength(40);
    await expect(attempt(1)).rejects.toMatchObject({ code: 'fencing.stale' });
  });

  it('profile rewards on tasks that are not held out', async () => {
    const tasks = workplace.tasks({ split: 'validation', count: 20, seed: 1, suite: 'traffic' });
    const server = await stage.serve(tasks.slice(0, 10));
    const { profile } = await app.runs.profile({
      projectId,
      runId: 'profile-1',
      agent,
      fencing: 1,
      policy: { baseUrl: server.baseUrl, model: 'good' },
      tasks: 20,
      split: 'validation',
      groupSize: 4,
      settings: testSettings({ repeats: 4, concurrency: 8 }),
    });
    expect(profile).toMatchObject({ tasks: 20, repeats: { least: 4, most: 4 }, masked: 0 });
    expect(profile.alwaysPass).toHaveLength(10);
    expect(profile.neverPass).toHaveLength(10);
    expect(profile.signal.estimate).toBeCloseTo(0);
  });
});
