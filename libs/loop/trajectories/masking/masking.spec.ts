import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import { ClickHouse, defineQuery } from '#platform/clickhouse';
import { z } from 'zod';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import { request, startHttp } from '../testing/http.js';
import { agentTrace, exportRequest, traceIdOf } from '../testing/otlp.js';
import { SECRET_SAMPLES } from '../testing/secrets.js';
import { stageOn, startStore } from '../testing/store.js';
import { MaskingKey } from './masking-key.js';

let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

const everyTable = defineQuery({
  name: 'spec.tables',
  params: z.object({}),
  row: z.object({ name: z.string() }),
  sql: `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View'`,
});

/** All text that the store holds, of every table. */
async function everything(): Promise<string> {
  const tables = await clickhouse.query(everyTable, {});
  const texts = await Promise.all(
    tables.map(({ name }) =>
      clickhouse.query(
        defineQuery({
          name: 'spec.rows',
          params: z.object({}),
          row: z.object({ text: z.string() }),
          sql: `SELECT arrayStringConcat(groupArray(toString(tuple(*))), '\n') AS text FROM ${name}`,
        }),
        {},
      ),
    ),
  );
  return texts
    .flat()
    .map(({ text }) => text)
    .join('\n');
}

it('no secret of any kind is stored, wherever a span or a row holds it; equal secrets stay equal', async () => {
  const secrets = SECRET_SAMPLES.map(({ text }) => text);
  const [root, ...rest] = agentTrace({ trace: 1 });
  const spans = [
    {
      ...root!,
      name: `run ${secrets[0]}`,
      error: secrets.join('\n'),
      attributes: {
        ...root!.attributes,
        'user.input': secrets,
        [`k ${secrets[1]}`]: 'x',
        'tool.args': { deep: secrets },
      },
      events: [{ name: secrets[2]!, attributes: { 'exception.message': secrets.join(' | ') } }],
    },
    ...rest,
  ];
  const otlp = await request(app, '/v1/traces', {
    project: 'p',
    body: JSON.stringify(exportRequest(spans, `svc ${secrets[3]}`)),
    headers: { 'content-type': 'application/json' },
  });
  const imported = await request(app, '/api/v1/import', {
    project: 'p',
    body: JSON.stringify({ messages: secrets.map((content) => ({ role: 'user', content })) }),
  });
  expect([otlp.status, imported.status]).toEqual([200, 200]);
  expect(imported.json).toMatchObject({ accepted: 1, rejected: [] });

  const stored = await everything();
  expect(stored).toContain('[secret:private_key:');
  const leaked = SECRET_SAMPLES.filter(({ secret }) => stored.includes(secret.split('\n')[1] ?? secret));
  expect(leaked.map(({ kind, secret }) => [kind, secret])).toEqual([]);

  const [span] = (await stageOn(clickhouse).spans.ofTraces('p', [traceIdOf(1)]))
    .get(traceIdOf(1))!
    .filter(({ parentSpanId }) => parentSpanId === null);
  const mark = /\[secret:anthropic_key:[0-9a-f]{12}\]/;
  const marks = [span!.name, span!.status.message, JSON.stringify(span!.attributes['user.input'])].map(
    (text) => mark.exec(text)?.[0],
  );
  expect(new Set(marks).size).toBe(1);
  expect(marks[0]).toBeDefined();
});

it('the same file again adds nothing, though its secrets were replaced', async () => {
  const body = JSON.stringify({ messages: [{ role: 'user', content: SECRET_SAMPLES[0]!.text }] });
  const ids = [];
  for (let time = 0; time < 2; time++) {
    const { json } = await request(app, '/api/v1/import', { project: 'again', body });
    ids.push((json as { trajectoryIds: string[] }).trajectoryIds);
  }
  expect(ids[1]).toEqual(ids[0]);
  expect((await stageOn(clickhouse).trajectories.stats('again')).trajectories).toBe(1);
});

describe('the key of the marks', () => {
  afterAll(removeTempDirs);

  it('stays in the data folder, for its owner alone, and gives the same mark after a restart', () => {
    const home = tempDir();
    const mark = MaskingKey.open(home).markOf('p', 'secret');
    expect(mark).toMatch(/^[0-9a-f]{12}$/);
    expect(MaskingKey.open(home).markOf('p', 'secret')).toBe(mark);
    expect(MaskingKey.open(home).markOf('q', 'secret')).not.toBe(mark);
    expect(MaskingKey.ephemeral().markOf('p', 'secret')).not.toBe(mark);
    expect(statSync(join(home, 'masking.key')).mode & 0o777).toBe(0o600);
  });

  it('given by the settings, it gives the same mark in every data folder', () => {
    const home = tempDir();
    const mark = MaskingKey.open(home).markOf('p', 'secret');
    const hex = readFileSync(join(home, 'masking.key'), 'utf8').trim();
    expect(MaskingKey.open(tempDir(), hex).markOf('p', 'secret')).toBe(mark);
    expect(MaskingKey.open(tempDir(), hex.toUpperCase()).markOf('p', 'secret')).toBe(mark);
  });

  it('a damaged file is refused with a plain word, not replaced', () => {
    const home = tempDir();
    writeFileSync(join(home, 'masking.key'), 'nonsense');
    expect(() => MaskingKey.open(home)).toThrow('is no masking key');
    expect(readFileSync(join(home, 'masking.key'), 'utf8')).toBe('nonsense');
  });
});
