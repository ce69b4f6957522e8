import { sql } from 'kysely';

import { childScript, spawnChild } from '#platform/process';

import { eventually } from '../../../test/support/eventually.js';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { Postgres } from './index.js';

const ROUNDS = 2;
const ACKNOWLEDGED_BEFORE_KILL = 50;

afterAll(removeTempDirs);

describe('the embedded state store', () => {
  it('keeps every acknowledged row when its process is killed under writes', async () => {
    const homeDir = tempDir();
    const acknowledged: number[] = [];
    for (let round = 0; round < ROUNDS; round++) acknowledged.push(await writeUntilKilled(homeDir, round));

    const postgres = await Postgres.startEmbedded({ homeDir });
    try {
      for (const [round, count] of acknowledged.entries()) {
        const { rows } = await sql<{
          id: number;
        }>`SELECT id FROM kept WHERE round = ${round} ORDER BY id`.execute(postgres.tables());
        expect(rows.slice(0, count).map((row) => row.id)).toEqual(
          Array.from({ length: count }, (_, id) => id),
        );
      }
    } finally {
      await postgres.close();
    }
  });
});

async function writeUntilKilled(homeDir: string, round: number): Promise<number> {
  let rows = 0;
  const writer = spawnChild({
    name: 'writer',
    homeDir: tempDir(),
    script: childScript(import.meta.url, './fixtures/writer.main'),
    config: { homeDir, round },
    onLine: (line) => {
      const id = /^acknowledged (\d+)$/.exec(line)?.[1];
      if (id !== undefined) rows = Number(id) + 1;
    },
  });
  await writer.ready;
  await eventually('enough rows are acknowledged', () => rows >= ACKNOWLEDGED_BEFORE_KILL * (round + 1));
  process.kill(writer.pid, 'SIGKILL');
  await writer.exited;
  return rows;
}
