import { readFileSync } from 'node:fs';
import { Global, Module, type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { workplaceEnvironment } from '#examples/workplace';
import type { EnvironmentTask } from '#contracts/environment';
import type { Trajectory } from '#contracts/trajectory';
import { Clock } from '#kernel/clock';
import {
  assertDisjoint,
  CaseRunner,
  EnvironmentSource,
  EvalCases,
  EvalRuns,
  EvalsModule,
  EvalSuites,
  EvaluatorKey,
  FailureSource,
  type BucketFault,
  type RunSettings,
} from '#loop/evals';
import { ClickHouse, splitStatements } from '#platform/clickhouse';
import { migratePostgres, Postgres } from '#platform/postgres';
import { IdSource, SystemClock } from '#platform/runtime';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { EnvironmentCatalog, EnvironmentsModule, HarnessCaseRunner } from './index.js';
import { rightAct, startChatServer, type ChatServer, type ScriptedRequest } from './testing/chat-server.js';

const projectId = 'p';
const agent = 'workplace-assistant';
const workplace = workplaceEnvironment();
const key = EvaluatorKey.ephemeral();
const clock = new SystemClock();

/** Buckets and trajectories as triage would hand them over. */
class KnownFailures extends FailureSource {
  readonly buckets = new Map<string, { agent: string; faults: BucketFault[] }>();
  readonly trajectories = new Map<string, Trajectory>();

  bucket(_projectId: string, id: string) {
    const bucket = this.buckets.get(id);
    return Promise.resolve(bucket ? { id, agent: bucket.agent } : null);
  }
  faults(_projectId: string, id: string, limit: number) {
    return Promise.resolve((this.buckets.get(id)?.faults ?? []).slice(0, limit));
  }
  trajectory(_projectId: string, id: string) {
    return Promise.resolve(this.trajectories.get(id) ?? null);
  }
}

let postgres: Postgres;
let clickhouse: ClickHouse;
let server: ChatServer;
const failures = new KnownFailures();
const contexts: INestApplicationContext[] = [];

/** The stages as an app composes them; a second call is the app after a restart. */
async function startApp() {
  @Global()
  @Module({
    imports: [EnvironmentsModule],
    providers: [
      { provide: Postgres, useValue: postgres },
      { provide: ClickHouse, useValue: clickhouse },
      { provide: Clock, useValue: clock },
      { provide: IdSource, useValue: new IdSource(clock) },
      { provide: EvaluatorKey, useValue: key },
      { provide: FailureSource, useValue: failures },
      { provide: CaseRunner, useExisting: HarnessCaseRunner },
      { provide: EnvironmentSource, useExisting: EnvironmentCatalog },
    ],
    exports: [
      Postgres,
      ClickHouse,
      Clock,
      IdSource,
      EvaluatorKey,
      FailureSource,
      CaseRunner,
      EnvironmentSource,
    ],
  })
  class Bindings {}
  @Module({ imports: [Bindings, EvalsModule, EnvironmentsModule] })
  class App {}
  const context = await NestFactory.createApplicationContext(App, { logger: false });
  contexts.push(context);
  return {
    catalog: context.get(EnvironmentCatalog),
    suites: context.get(EvalSuites),
    runs: context.get(EvalRuns),
    cases: context.get(EvalCases),
  };
}

let app: Awaited<ReturnType<typeof startApp>>;
let environmentId: string;

beforeAll(async () => {
  [postgres, clickhouse] = await Promise.all([
    Postgres.startEmbedded({ homeDir: tempDir() }),
    ClickHouse.startEmbedded({ homeDir: tempDir() }),
  ]);
  await migratePostgres(postgres);
  const sql = readFileSync(
    new URL('../../../migrations/clickhouse/0003_rollouts.sql', import.meta.url),
    'utf8',
  );
  for (const statement of splitStatements(sql)) await clickhouse.command(statement);
  app = await startApp();
  environmentId = (await app.catalog.register(projectId, agent, workplace)).id;
});

afterAll(async () => {
  await server?.close();
  for (const context of contexts) await context.close();
  await clickhouse.close();
  await postgres.close();
  removeTempDirs();
});

const settings = (over: Partial<RunSettings> = {}): RunSettings => ({
  repeats: 2,
  seed: 1,
  sampling: { temperature: 0.7, topP: 1, maxTokens: 32 },
  price: { inputPerMillionUsd: 1, outputPerMillionUsd: 1 },
  verifiers: null,
  concurrency: 4,
  ...over,
});

/** A policy that is right on the tasks it knows; the model named `weak` says only the last words. */
async function serving(
  tasks: readonly EnvironmentTask[],
  onRequest?: (request: ScriptedRequest) => void,
): Promise<void> {
  await server?.close();
  server = await startChatServer((request) => {
    onRequest?.(request);
    const task = tasks.find((each) => each.messages[0]?.content === request.messages[0]?.content);
    return task && request.model !== 'weak' ? rightAct(task, request.messages) : { content: 'done' };
  });
}

async function openedTasks(suiteId: string): Promise<EnvironmentTask[]> {
  return (await app.suites.payloads(projectId, suiteId, key)).map((each) => each.task);
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
    const restarted = await startApp();
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
    const rows = await postgres
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
    expect(await app.suites.recordReading(projectId, first.id, 'verdict-1')).toEqual({ used: 1, budget: 2 });
    expect((await ask()).id).toBe(first.id);
    await app.suites.recordReading(projectId, first.id, 'verdict-2');
    const second = await ask();
    expect(second).toMatchObject({ version: 2, readings: { used: 0, budget: 2 } });
    const known = new Set((await openedTasks(first.id)).map((task) => task.id));
    expect((await openedTasks(second.id)).some((task) => known.has(task.id))).toBe(false);
  });

  it('from buckets hold the kinds that failed there, each case with its buckets', async () => {
    const trajectory = (id: string, metadata: Trajectory['metadata']) =>
      failures.trajectories.set(id, {
        id,
        metadata,
        steps: [],
        tools: [],
        source: 'otlp',
      } as unknown as Trajectory);
    trajectory('t1', { 'workplace.family': 'cancel_event' });
    trajectory('t2', { 'workplace.family': 'reply_email', 'workplace.slice': 'reply_email/injected' });
    const fault = { category: 'wrong_tool', detail: null, stepIndex: 1 } as const;
    failures.buckets.set('b1', { agent, faults: [{ ...fault, trajectoryId: 't1' }] });
    failures.buckets.set('b2', {
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
    const cases = await app.suites.payloads(projectId, suite.id, key);
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
    await serving(await openedTasks(suite.id));
    const policy = (model: string) => ({ baseUrl: server.baseUrl, model });
    const measured = await app.runs.measure({
      projectId,
      runId: 'gate-1',
      suiteId: suite.id,
      purpose: 'gate',
      fencing: 1,
      arms: { baseline: policy('weak'), candidate: policy('good') },
      settings: settings(),
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
    await serving(tasks, () => void (++requests === 60 && stop.abort(new Error('stopped'))));
    const attempt = (fencing: number, signal?: AbortSignal) =>
      app.runs.measure({
        projectId,
        runId: 'baseline-1',
        suiteId: suite.id,
        purpose: 'baseline',
        fencing,
        arms: { baseline: { baseUrl: server.baseUrl, model: 'good' } },
        settings: settings({ repeats: 1 }),
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
    await serving(tasks.slice(0, 10));
    const { profile } = await app.runs.profile({
      projectId,
      runId: 'profile-1',
      agent,
      fencing: 1,
      policy: { baseUrl: server.baseUrl, model: 'good' },
      tasks: 20,
      split: 'validation',
      groupSize: 4,
      settings: settings({ repeats: 4, concurrency: 8 }),
    });
    expect(profile).toMatchObject({ tasks: 20, repeats: { least: 4, most: 4 }, masked: 0 });
    expect(profile.alwaysPass).toHaveLength(10);
    expect(profile.neverPass).toHaveLength(10);
    expect(profile.signal.estimate).toBeCloseTo(0);
  });
});

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
      failures.trajectories.set(id, {
        id,
        source: 'tau-bench',
        tools: [],
        steps,
        metadata: { task_id: id },
      } as unknown as Trajectory);
    }
    const fault = { category: 'unsafe_action', detail: 'destructive', stepIndex: 1 } as const;
    const faults = [...ids, 'gone'].map((trajectoryId) => ({ ...fault, trajectoryId }));
    failures.buckets.set(bucketId, { agent: other, faults });
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

    const restarted = await startApp();
    await serving([]);
    const measured = await restarted.runs.measure({
      projectId,
      runId: 'air-1',
      suiteId: suite.id,
      purpose: 'baseline',
      fencing: 1,
      arms: { baseline: { baseUrl: server.baseUrl, model: 'polite' } },
      settings: settings({ repeats: 1 }),
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
    const row = await postgres
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
