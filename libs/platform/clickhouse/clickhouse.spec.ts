import { writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { createClient } from '@clickhouse/client';
import { z } from 'zod';

import { AppError } from '#kernel/errors';

import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import {
  ChBigInt,
  ChDateTime,
  ChUInt,
  ClickHouse,
  defineQuery,
  migrateClickHouse,
  splitStatements,
} from './index.js';

const homeDir = tempDir();
let clickhouse: ClickHouse;

const echo = defineQuery({
  name: 'test.echo',
  params: z.object({
    text: z.string(),
    list: z.array(z.string()),
    at: z.date(),
    ns: z.bigint(),
    none: z.string().nullable(),
  }),
  row: z.object({
    text: z.string(),
    list: z.array(z.string()),
    at: ChDateTime,
    ns: ChBigInt,
    none: z.string().nullable(),
  }),
  sql: `SELECT {text:String} AS text, {list:Array(String)} AS list, {at:DateTime64(3)} AS at, {ns:UInt64} AS ns,
        {none:Nullable(String)} AS none`,
});

const countOf = (table: string) =>
  defineQuery({
    name: 'test.count',
    params: z.object({}),
    row: z.object({ n: ChUInt }),
    sql: `SELECT count() AS n FROM ${table}`,
  });

const rowsIn = async (table: string): Promise<number> =>
  (await clickhouse.query(countOf(table), {}))[0]?.n ?? -1;

beforeAll(async () => {
  clickhouse = await ClickHouse.startEmbedded({ homeDir });
});

afterAll(async () => {
  await clickhouse.close();
  removeTempDirs();
});

describe('the embedded ClickHouse through the official client', () => {
  it('binds parameters by value: quotes, backslashes, lists, times, 64-bit integers and null come back as sent', async () => {
    const params = {
      text: 'it\'s a \\ "test"\n\tü {x:String}',
      list: ["a'b", 'c\\d', ''],
      at: new Date('2026-03-29T01:30:00.123Z'),
      ns: 1_780_000_000_123_456_789n,
      none: null,
    };
    expect(await clickhouse.query(echo, params)).toEqual([params]);
  });

  it('refuses a query whose parameter is missing, even when an earlier request gave one of that name', async () => {
    await clickhouse.client.query({ query: 'SELECT {leak:String}', query_params: { leak: 'secret' } });
    await expect(clickhouse.client.query({ query: 'SELECT {leak:String}' })).rejects.toMatchObject({
      code: '456',
    });
  });

  it('keeps settings within the request that set them', async () => {
    const setting = "SELECT getSetting('max_block_size') AS size";
    const read = async (value?: number): Promise<unknown> => {
      const clickhouse_settings = value === undefined ? {} : { max_block_size: String(value) };
      const result = await clickhouse.client.query({
        query: setting,
        format: 'JSONEachRow',
        clickhouse_settings,
      });
      return (await result.json<{ size: string }>())[0]?.size;
    };
    const before = await read();
    expect(Number(await read(1234))).toBe(1234);
    expect(await read()).toBe(before);
    await expect(
      clickhouse.client.query({ query: setting, clickhouse_settings: { no_such: 1 } }),
    ).rejects.toThrow(/no_such/);
    expect(await read()).toBe(before);
  });

  it('answers errors with the code and type of ClickHouse', async () => {
    await expect(clickhouse.client.query({ query: 'SELECT nope' })).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    });
    await expect(clickhouse.client.query({ query: 'SELEC 1' })).rejects.toMatchObject({
      code: '62',
      type: 'SYNTAX_ERROR',
    });
    const refusal = clickhouse.query(countOf('no_such_table'), {});
    await expect(refusal).rejects.toMatchObject({
      code: 'internal',
      detail: { code: '60', type: 'UNKNOWN_TABLE' },
    });
  });

  it('reports written rows, and takes gzip both ways', async () => {
    await clickhouse.command('CREATE TABLE zipped (id UInt64, v String) ENGINE = MergeTree ORDER BY id');
    const { url, user: username, password, database } = clickhouse.connection;
    const zipped = createClient({
      url,
      username,
      password,
      database,
      compression: { request: true, response: true },
    });
    try {
      const values = Array.from({ length: 500 }, (_, id) => ({ id, v: `value ${id}` }));
      const inserted = await zipped.insert({ table: 'zipped', values, format: 'JSONEachRow' });
      expect(inserted.summary?.written_rows).toBe('500');
      const rows = await zipped.query({ query: 'SELECT * FROM zipped ORDER BY id', format: 'JSONEachRow' });
      expect(await rows.json()).toHaveLength(500);
    } finally {
      await zipped.close();
    }
  });

  it('lets nobody in without the password of this start', async () => {
    const { url, user: username } = clickhouse.connection;
    const stranger = createClient({ url, username, password: 'guess', log: { level: 127 } });
    await expect(stranger.query({ query: 'SELECT 1' })).rejects.toMatchObject({ code: '516' });
    await stranger.close();
    expect(await clickhouse.ping()).toBe(true);
  });

  it('refuses a row with a field that the table lacks, and stores nothing of its insert', async () => {
    await clickhouse.command('CREATE TABLE strict (id UInt64) ENGINE = MergeTree ORDER BY id');
    await expect(clickhouse.insert('strict', [{ id: 1 }, { id: 2, typo: true }])).rejects.toThrow(AppError);
    expect(await rowsIn('strict')).toBe(0);
  });

  it('keeps one copy of an insert that is repeated with its token', async () => {
    await clickhouse.command(
      'CREATE TABLE dedup (id UInt64) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 100',
    );
    for (let i = 0; i < 3; i++) await clickhouse.insert('dedup', [{ id: 1 }], { dedupToken: 'batch-1' });
    await clickhouse.insert('dedup', [{ id: 1 }], { dedupToken: 'batch-2' });
    expect(await rowsIn('dedup')).toBe(2);
  });

  it('serves many inserts and reads at once without mixing them up', async () => {
    await clickhouse.command(
      'CREATE TABLE busy (lane UInt32, id UInt64) ENGINE = MergeTree ORDER BY (lane, id)',
    );
    const ofLane = defineQuery({
      name: 'test.lane',
      params: z.object({ lane: z.number() }),
      row: z.object({ lane: ChUInt }),
      sql: 'SELECT {lane:UInt32} AS lane',
    });
    const lanes = Array.from({ length: 8 }, (_, lane) => lane);
    const answers = await Promise.all(
      lanes.flatMap((lane) =>
        Array.from({ length: 5 }, async (_, id) => {
          await clickhouse.insert('busy', [{ lane, id }]);
          return (await clickhouse.query(ofLane, { lane }))[0]?.lane === lane;
        }),
      ),
    );
    expect(answers.every(Boolean)).toBe(true);
    expect(await rowsIn('busy')).toBe(40);
  });

  it('refuses a row that does not fit the declared form', async () => {
    const wrong = defineQuery({
      name: 'test.wrong',
      params: z.object({}),
      row: z.object({ n: z.string() }),
      sql: 'SELECT 1 AS n',
    });
    await expect(clickhouse.query(wrong, {})).rejects.toMatchObject({
      code: 'internal',
      detail: { query: 'test.wrong' },
    });
  });
});

describe('migrations', () => {
  it('split at a semicolon that ends a line, and drop comments that hold no statement', () => {
    expect(splitStatements("-- a\nSELECT ';'\n;\n-- only words;\n\nSELECT 2; -- done\n")).toEqual([
      "-- a\nSELECT ';'",
      'SELECT 2',
    ]);
  });

  it('are applied once, in order, and refuse a file that was changed afterwards', async () => {
    const dir = join(tempDir(), 'migrations');
    mkdirSync(dir);
    writeFileSync(
      join(dir, '0001_first.sql'),
      'CREATE TABLE IF NOT EXISTS moved (project_id String) ENGINE = MergeTree ORDER BY project_id;\n',
    );
    writeFileSync(join(dir, '0002_second.sql'), 'ALTER TABLE moved ADD COLUMN IF NOT EXISTS v String;\n');
    expect(await migrateClickHouse(clickhouse, dir)).toEqual(['0001_first.sql', '0002_second.sql']);
    expect(await migrateClickHouse(clickhouse, dir)).toEqual([]);
    await clickhouse.insert('moved', [{ project_id: 'p', v: 'x' }]);

    writeFileSync(join(dir, '0002_second.sql'), 'ALTER TABLE moved DROP COLUMN v;\n');
    await expect(migrateClickHouse(clickhouse, dir)).rejects.toThrow(/0002_second.sql was changed/);
    writeFileSync(join(dir, '0009_gap.sql'), 'SELECT 1;\n');
    await expect(migrateClickHouse(clickhouse, dir)).rejects.toThrow(/should be number 3/);
  });
});
