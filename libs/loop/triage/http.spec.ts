import type { INestApplication } from '@nestjs/common';
import { StandardSchemaValidationPipe } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import request from 'supertest';
import { ProblemFilter } from '#platform/web';
import { BucketsController, FailuresController } from './http.js';
import { Triage, type Failure } from './index.js';
import { importRows, openStage, recordedRun, startStores, type Stores } from './testing/stage.js';

const PROJECT = 'default';
let stores: Stores;
let stage: TestingModule;
let app: INestApplication;

beforeAll(async () => {
  stores = await startStores();
  stage = await openStage(stores);
  await stage.init();
  await importRows(stage, PROJECT, [
    recordedRun(1),
    recordedRun(2, { act: 'delete_event' }),
    recordedRun(3, { act: 'delete_event' }),
  ]);
  const web = await Test.createTestingModule({
    controllers: [FailuresController, BucketsController],
    providers: [{ provide: Triage, useValue: stage.get(Triage) }],
  }).compile();
  app = web.createNestApplication();
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  app.useGlobalFilters(new ProblemFilter(() => undefined));
  await app.init();
});

afterAll(async () => {
  await app.close();
  await stage.close();
  await stores.close();
});

const get = (path: string) => request(app.getHttpServer()).get(path);

describe('the routes of triage', () => {
  it('answers failures as pages, and as lines where asked for them', async () => {
    const page = await get('/api/v1/failures?limit=2&category=unsafe_action&rootCause=true').expect(200);
    const { items, nextCursor } = page.body as { items: Failure[]; nextCursor: string };
    expect(items).toHaveLength(2);
    const rest = await get(
      `/api/v1/failures?limit=2&category=unsafe_action&rootCause=true&cursor=${nextCursor}`,
    ).expect(200);
    expect(rest.body).toMatchObject({ items: [{ category: 'unsafe_action' }], nextCursor: null });
    const lines = await get('/api/v1/failures?category=unsafe_action')
      .set('Accept', 'application/x-ndjson')
      .buffer(true)
      .expect(200)
      .expect('Content-Type', /x-ndjson/);
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as Failure).category),
    ).toEqual(Array(3).fill('unsafe_action'));
  });

  it('refuses an unknown parameter, category, bucket and an empty patch', async () => {
    await get('/api/v1/failures?colour=red').expect(400);
    await get('/api/v1/failures?category=bad_luck').expect(400);
    await get('/api/v1/failures?bucketId=none').expect(404);
    await get('/api/v1/buckets/none')
      .expect(404)
      .expect('Content-Type', /problem\+json/);
    await request(app.getHttpServer()).patch('/api/v1/buckets/none').send({}).expect(400);
  });

  it('changes, merges and splits buckets', async () => {
    const { body } = await get('/api/v1/buckets?status=open').expect(200);
    const [first, second] = (body as { items: { id: string }[] }).items;
    const path = `/api/v1/buckets/${first?.id}`;
    const server = app.getHttpServer();
    await request(server)
      .patch(path)
      .send({ owner: 'ann', status: 'ignored' })
      .expect(200)
      .expect(({ body: bucket }) => {
        expect(bucket).toMatchObject({ owner: 'ann', status: 'ignored' });
      });
    const merged = await request(server)
      .post(`${path}/merge`)
      .send({ bucketIds: [second?.id] })
      .expect(201);
    const { clusters } = merged.body as { clusters: { clusterId: string }[] };
    expect(clusters).toHaveLength(2);
    await request(server)
      .post(`${path}/split`)
      .send({ clusterIds: clusters.map(({ clusterId }) => clusterId) })
      .expect(400);
    await request(server)
      .post(`${path}/split`)
      .send({ clusterIds: [clusters[0]?.clusterId] })
      .expect(201);
    await get(`${path}/series?stepMs=60000`).expect(200);
  });
});
