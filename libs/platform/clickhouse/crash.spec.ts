import { z } from 'zod';

import { childScript, clearOrphans, processStartToken, spawnChild } from '#platform/process';

import { eventually } from '../../../test/support/eventually.js';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { ChUInt, ClickHouse, defineQuery } from './index.js';

const ROUNDS = 3;
const ACKNOWLEDGED_BEFORE_KILL = 15;

const storedIds = defineQuery({
  name: 'test.stored',
  params: z.object({ round: z.number() }),
  row: z.object({ id: ChUInt, copies: ChUInt }),
  sql: 'SELECT id, count() AS copies FROM kept WHERE round = {round:UInt32} GROUP BY id',
});

afterAll(removeTempDirs);

describe('the embedded ClickHouse', () => {
  it('loses no acknowledged row and doubles none when app and engine are killed under inserts', async () => {
    const homeDir = tempDir();
    const acknowledged: number[] = [];
    for (let round = 0; round < ROUNDS; round++) acknowledged.push(await insertUntilKilled(homeDir, round));

    await clearOrphans(homeDir);
    const clickhouse = await ClickHouse.startEmbedded({ homeDir });
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const rows = await clickhouse.query(storedIds, { round });
        const copies = new Map(rows.map((row) => [row.id, row.copies]));
        const expected = Array.from({ length: (acknowledged[round] ?? 0) * 3 }, (_, id) => id);
        expect(expected.filter((id) => copies.get(id) !== 1)).toEqual([]);
        expect([...copies.values()].every((count) => count === 1)).toBe(true);
      }
    } finally {
      await clickhouse.close();
    }
  });
});

/** Number of batches that were acknowledged before the kill. */
async function insertUntilKilled(homeDir: string, round: number): Promise<number> {
  let batches = 0;
  const writer = spawnChild({
    name: 'writer',
    homeDir: tempDir(),
    script: childScript(import.meta.url, './fixtures/writer.main'),
    config: { homeDir, round },
    onLine: (line) => {
      const batch = /^acknowledged (\d+)$/.exec(line)?.[1];
      if (batch !== undefined) batches = Number(batch) + 1;
    },
  });
  const { enginePid } = z.object({ enginePid: z.number() }).parse(await writer.ready);
  await eventually('enough rows are acknowledged', () => batches >= ACKNOWLEDGED_BEFORE_KILL * (round + 1));
  process.kill(enginePid, 'SIGKILL');
  process.kill(writer.pid, 'SIGKILL');
  await writer.exited;
  await eventually('the engine is gone', () => processStartToken(enginePid) === undefined);
  return batches;
}
