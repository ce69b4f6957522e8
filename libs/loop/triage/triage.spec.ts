import { existsSync, createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import type { TestingModule } from '@nestjs/testing';
import { TrajectoryAnnotations } from '#loop/trajectories';
import { projectRoot } from '#platform/runtime';
import { eventually } from '../../../test/support/eventually.js';
import { FailuresRepository } from './failures.repository.js';
import { Triage, Triager } from './index.js';
import { importRows, openStage, recordedRun, startStores, type Stores } from './testing/stage.js';

let stores: Stores;
let stage: TestingModule;
let triage: Triage;
let projects = 0;

beforeAll(async () => {
  stores = await startStores();
  stage = await openStage(stores);
  await stage.init();
  triage = stage.get(Triage);
});

afterAll(async () => {
  await stage.close();
  await stores.close();
});

const freshProject = (): string => `p${++projects}`;
const bucketsOf = async (projectId: string) => (await triage.listBuckets(projectId, { limit: 50 })).items;

describe('triage of what completes', () => {
  it('stores the failures of an imported run, with one root cause, and opens its bucket', async () => {
    const projectId = freshProject();
    const { trajectoryIds } = await importRows(stage, projectId, [recordedRun(1)]);
    const id = trajectoryIds[0] ?? '';
    const failures = await triage.failuresOf(projectId, id);
    expect(failures.filter(({ rootCause }) => rootCause)).toMatchObject([
      { category: 'unsafe_action', detail: 'destructive', stepIndex: 3 },
    ]);
    expect(await bucketsOf(projectId)).toMatchObject([
      {
        name: 'cancel_event on a locked row (unsafe_action/destructive)',
        status: 'open',
        severity: 'critical',
        failures: 1,
        trajectories: 1,
        exampleTrajectoryIds: [id],
      },
    ]);
    expect(failures[0]?.bucketId).toBe((await bucketsOf(projectId))[0]?.id);
    expect(await stage.get(TrajectoryAnnotations).of(projectId, id)).toMatchObject({
      state: 'done',
      failures,
    });
    expect(await triage.counts(projectId)).toEqual({ failures: failures.length, buckets: 1 });
  });

  it('leaves the same after the same trajectory was triaged again, here or by another process', async () => {
    const projectId = freshProject();
    const { trajectoryIds } = await importRows(stage, projectId, [
      recordedRun(1),
      recordedRun(2, { last: 'sorry', act: 'get_event' }),
    ]);
    const before = [await triage.listFailures(projectId, { limit: 50 }), await bucketsOf(projectId)];
    const events = trajectoryIds.map((trajectoryId) => ({ projectId, trajectoryId }));
    await stage.get(Triager).triage([...events, ...events]);
    const other = await openStage(stores);
    await Promise.all([other.get(Triager).triage(events), stage.get(Triager).triage(events)]);
    expect([await triage.listFailures(projectId, { limit: 50 }), await bucketsOf(projectId)]).toEqual(before);
  });

  it('takes up after a start what an earlier process stored and never triaged', async () => {
    const projectId = freshProject();
    const killed = await openStage(stores);
    const { trajectoryIds } = await importRows(killed, projectId, [recordedRun(1), recordedRun(2)]);
    const state = (id: string) => triage.stateOf(projectId, id);
    expect(await Promise.all(trajectoryIds.map(state))).toEqual(['pending', 'pending']);

    const restarted = await openStage(stores);
    await restarted.init();
    await eventually('both are triaged', async () =>
      (await Promise.all(trajectoryIds.map(state))).every((each) => each === 'done'),
    );
    expect(await bucketsOf(projectId)).toMatchObject([{ trajectories: 2 }]);
    await restarted.close();
  });

  it('retracts what a later look no longer finds, and the failures of a trajectory that is gone', async () => {
    const projectId = freshProject();
    const { trajectoryIds } = await importRows(stage, projectId, [recordedRun(1)]);
    const repository = stage.get(FailuresRepository);
    const trajectoryId = trajectoryIds[0] ?? '';
    const look = {
      projectId,
      revision: 2,
      policy: null,
      state: 'done',
      rulesVersion: 'x',
      note: '',
    } as const;
    await repository.record([{ ...look, trajectoryId, failures: [] }]);
    expect(await triage.failuresOf(projectId, trajectoryId)).toEqual([]);

    await stage.get(Triager).triage([{ projectId, trajectoryId }]);
    const [failure] = await triage.failuresOf(projectId, trajectoryId);
    expect(failure).toBeDefined();
    const gone = { ...(failure as NonNullable<typeof failure>), trajectoryId: 'gone', tool: null };
    await repository.record([{ ...look, trajectoryId: 'gone', failures: [gone] }]);
    expect(await triage.failuresOf(projectId, 'gone')).toHaveLength(1);
    await stage.get(Triager).retractOrphans();
    expect(await triage.failuresOf(projectId, 'gone')).toEqual([]);
    expect(await triage.failuresOf(projectId, trajectoryId)).toHaveLength(1);
  });
});

describe('buckets', () => {
  it('merge and split move clusters and nothing else', async () => {
    const projectId = freshProject();
    await importRows(stage, projectId, [
      recordedRun(1),
      recordedRun(2, { act: 'delete_event' }),
      recordedRun(3, { act: 'delete_event' }),
    ]);
    const [first, second] = (await bucketsOf(projectId)).sort((a, b) => a.trajectories - b.trajectories);
    if (first === undefined || second === undefined) throw new Error('two buckets expected');
    const merged = await triage.mergeBuckets(projectId, first.id, [second.id]);
    expect(merged).toMatchObject({ id: first.id, trajectories: 3 });
    expect(merged.clusters).toHaveLength(2);
    expect(await bucketsOf(projectId)).toHaveLength(1);
    await expect(triage.getBucket(projectId, second.id)).rejects.toMatchObject({
      code: 'resource.not_found',
    });

    const moved = merged.clusters.find(({ tool }) => tool === 'delete_event')?.clusterId ?? '';
    const split = await triage.splitBucket(projectId, first.id, { clusterIds: [moved] });
    expect(split).toMatchObject({
      name: 'delete_event on a locked row (unsafe_action/destructive)',
      trajectories: 2,
    });
    expect(await triage.getBucket(projectId, first.id)).toMatchObject({ trajectories: 1 });
    await expect(triage.splitBucket(projectId, first.id, { clusterIds: [moved] })).rejects.toMatchObject({
      code: 'request.invalid',
    });
    await importRows(stage, projectId, [recordedRun(4, { act: 'delete_event' })]);
    expect(await triage.getBucket(projectId, split.id)).toMatchObject({ trajectories: 3 });
  });

  it('reopens a fixed bucket when its failure returns, and leaves an ignored one alone', async () => {
    const projectId = freshProject();
    await importRows(stage, projectId, [recordedRun(1), recordedRun(2, { act: 'delete_event' })]);
    for (const bucket of await bucketsOf(projectId)) {
      const status = bucket.name.startsWith('cancel') ? 'fixed' : 'ignored';
      await triage.setBucketStatus(projectId, bucket.id, status);
    }
    await stage
      .get(Triager)
      .triage(
        (await triage.trajectoryIdsOf(projectId, { category: 'unsafe_action' }, { limit: 10 })).items.map(
          (trajectoryId) => ({ projectId, trajectoryId }),
        ),
      );
    const statuses = async () => (await bucketsOf(projectId)).map(({ status }) => status).sort();
    expect(await statuses()).toEqual(['fixed', 'ignored']);
    await importRows(stage, projectId, [recordedRun(3), recordedRun(4, { act: 'delete_event' })]);
    expect(await statuses()).toEqual(['ignored', 'open']);
  });

  it('pages failures, trajectories and buckets without loss or doubling', async () => {
    const projectId = freshProject();
    const runs = Array.from({ length: 7 }, (_, i) => recordedRun(i, { act: `delete_row${i}` }));
    const { trajectoryIds } = await importRows(stage, projectId, runs);
    const walk = async <T>(
      page: (cursor?: string) => Promise<{ items: T[]; nextCursor: string | null }>,
    ): Promise<T[]> => {
      const first = await page();
      const items = [...first.items];
      for (let cursor = first.nextCursor; cursor !== null;) {
        const next = await page(cursor);
        items.push(...next.items);
        cursor = next.nextCursor;
      }
      return items;
    };
    const failures = await walk((cursor) =>
      triage.listFailures(projectId, { limit: 2, cursor, rootOnly: true }),
    );
    expect(failures.map(({ trajectoryId }) => trajectoryId).sort()).toEqual([...trajectoryIds].sort());
    const ids = await walk((cursor) =>
      triage.trajectoryIdsOf(projectId, { category: 'unsafe_action' }, { limit: 3, cursor }),
    );
    expect(ids.sort()).toEqual([...trajectoryIds].sort());
    const buckets = await walk((cursor) => triage.listBuckets(projectId, { limit: 2, cursor }));
    expect(new Set(buckets.map(({ id }) => id)).size).toBe(7);
    const [bucket] = buckets;
    const of = await triage.rootCausesOf(projectId, bucket?.id ?? '', 10);
    expect(of.map(({ trajectoryId }) => trajectoryId)).toEqual(bucket?.exampleTrajectoryIds);
    expect(
      await triage.bucketSeries(projectId, bucket?.id ?? '', { stepMs: 60_000, sinceMs: 0 }),
    ).toMatchObject([{ failures: 1 }]);
  });

  it('keeps projects apart', async () => {
    const [one, other] = [freshProject(), freshProject()];
    await importRows(stage, one, [recordedRun(1)]);
    expect(await bucketsOf(other)).toEqual([]);
    const id = (await bucketsOf(one))[0]?.id ?? '';
    await expect(triage.getBucket(other, id)).rejects.toMatchObject({ code: 'resource.not_found' });
    expect(await triage.counts(other)).toEqual({ failures: 0, buckets: 0 });
  });
});

const TAU_BENCH = join(projectRoot(), '../shared/data/tau-bench-airline/gpt-4o-airline.tasks-00-24.json.gz');
const itWithData = existsSync(TAU_BENCH) ? it : it.skip;

describe('real runs', () => {
  itWithData('gives each failed tau-bench run one root cause, and a passed one none', async () => {
    const projectId = freshProject();
    const verdict = await importRows(stage, projectId, createReadStream(TAU_BENCH).pipe(createGunzip()));
    expect(verdict).toMatchObject({ accepted: 100, rejected: [] });
    const roots: string[] = [];
    for await (const failure of triage.exportFailures(projectId, { rootOnly: true }))
      roots.push(failure.trajectoryId);
    expect(new Set(roots).size).toBe(roots.length);
    expect(roots).toHaveLength(69);
    expect((await bucketsOf(projectId)).length).toBeGreaterThan(3);
  });
});
