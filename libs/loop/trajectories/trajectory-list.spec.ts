import { z } from 'zod';
import { ManualClock } from '#kernel/clock';
import { ChUInt, defineQuery, type ClickHouse } from '#platform/clickhouse';
import type { AssembledTrajectory } from './domain/assemble.js';
import { assembleTrace } from './domain/assemble.js';
import { decodeExportRequest } from './domain/otlp.js';
import { ReceiptSequence } from './receipt-sequence.js';
import { agentTrace, exportRequest, traceIdOf } from './testing/otlp.js';
import { startStore } from './testing/store.js';
import { TrajectoriesRepository, type ListQuery } from './trajectories.repository.js';

const STORED = 300_000;
const PARTS = 4;
/** Most rows that any list may read, whatever the store holds. */
const MOST_READ = 200_000;
const MOST_READ_OF_DETAIL = 50_000;

let clickhouse: ClickHouse;
let close: () => Promise<void>;
let repository: TrajectoriesRepository;

beforeAll(async () => {
  ({ clickhouse, close } = await startStore());
  repository = new TrajectoriesRepository(clickhouse, new ReceiptSequence(new ManualClock()));
  await fill();
}, 120_000);
afterAll(() => close());

/** Many trajectories in several parts, each part from all of the time. */
async function fill(): Promise<void> {
  const columns = `project_id, trajectory_id, revision, retracted, external_id, source, agent, outcome, outcome_source, outcome_confidence, started_at_ns, ended_at_ns`;
  const values = `'many', lower(hex(sipHash128(number))), 1, 0, toString(number), 'otlp', if(number = 7, 'rare', 'common'), 'unknown', 'inferred', 0,
                  1700000000000000000 + number * 1000000, 1700000000000000000 + number * 1000000`;
  for (let part = 0; part < PARTS; part++) {
    const from = `FROM numbers(${STORED}) WHERE number % ${PARTS} = ${part}`;
    await clickhouse.command(`INSERT INTO trajectory_list (${columns}) SELECT ${values} ${from}`);
    await clickhouse.command(
      `INSERT INTO trajectories (${columns}, tools, metadata, steps) SELECT ${values}, '[]', '{}', '[]' ${from}`,
    );
  }
}

const selectedRows = defineQuery({
  name: 'spec.selectedRows',
  params: z.object({}),
  row: z.object({ rows: ChUInt }),
  sql: `SELECT value AS rows FROM system.events WHERE event = 'SelectedRows'`,
});

/** Rows that the store read for it. */
async function readBy<T>(action: () => Promise<T>): Promise<{ rows: number; result: T }> {
  const before = (await clickhouse.query(selectedRows, {}))[0]?.rows ?? 0;
  const result = await action();
  const after = (await clickhouse.query(selectedRows, {}))[0]?.rows ?? 0;
  return { rows: after - before, result };
}

const list = (query: Omit<ListQuery, 'projectId' | 'limit'>) =>
  readBy(() => repository.list({ projectId: 'many', limit: 50, ...query }));

describe(`a list of ${STORED} trajectories reads at most ${MOST_READ} rows`, () => {
  it('for its first page and for one in the midst', async () => {
    const first = await list({});
    expect(first.result.items.map((item) => item.externalId).slice(0, 3)).toEqual(
      [1, 2, 3].map((n) => String(STORED - n)),
    );
    expect(first.result.items).toHaveLength(50);
    expect(first.rows).toBeGreaterThan(0);
    expect(first.rows).toBeLessThan(MOST_READ);
    const untilMs = 1_700_000_000_000 + STORED / 2;
    const middle = await list({ untilMs });
    expect(middle.result.items[0]?.externalId).toBe(String(STORED / 2 - 1));
    const next = await list({ cursor: middle.result.nextCursor! });
    expect(next.result.items[0]?.externalId).toBe(String(STORED / 2 - 51));
    expect(Math.max(middle.rows, next.rows)).toBeLessThan(MOST_READ);
  });

  it('for a filter that lets one row through, which its pages find', async () => {
    const found: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await list({ agent: 'rare', ...(cursor === undefined ? {} : { cursor }) });
      expect(page.rows).toBeLessThan(MOST_READ);
      found.push(...page.result.items.map((item) => item.externalId));
      cursor = page.result.nextCursor ?? undefined;
      pages++;
    } while (cursor !== undefined && pages < 100);
    expect(found).toEqual(['7']);
    expect(pages).toBeGreaterThan(1);
    expect(cursor).toBeUndefined();
  });

  it('for a text, for ids, and for an agent that does not exist', async () => {
    expect((await list({ q: 'nowhere to be found' })).rows).toBeLessThan(MOST_READ);
    expect((await list({ agent: 'none' })).rows).toBeLessThan(MOST_READ);
    const { items } = (await list({})).result;
    const some = await list({ ids: items.map(({ id }) => id) });
    expect(some.result.items).toEqual(items);
    expect(some.rows).toBeLessThan(MOST_READ);
  });

  it(`and its detail at most ${MOST_READ_OF_DETAIL}`, async () => {
    const { items } = (await list({})).result;
    const detail = await readBy(() => repository.get('many', items[7]!.id));
    expect(detail.result?.id).toBe(items[7]!.id);
    expect(detail.rows).toBeLessThan(MOST_READ_OF_DETAIL);
  });
});

describe('the list tells what is stored now', () => {
  const runOf = (trace: number, more: Partial<AssembledTrajectory> = {}): AssembledTrajectory => {
    const { spans } = decodeExportRequest(exportRequest(agentTrace({ trace })));
    const stored = spans.map((span, at) => ({ ...span, receivedSeq: String(at + 1) }));
    const input = { projectId: 'now', traceId: traceIdOf(trace), spans: stored, captures: new Map() };
    return { ...assembleTrace(input)[0]!, ...more };
  };
  const listed = async (): Promise<[string, number][]> => {
    const page = await repository.list({ projectId: 'now', limit: 10 });
    return page.items.map((item) => [item.externalId, item.revision]);
  };

  it('a run that starts at another time stands at its new place only; a retracted one nowhere', async () => {
    const early = runOf(1);
    const late = runOf(2, { startedAtNs: String(BigInt(early.startedAtNs) + 5_000_000_000n) });
    await repository.save('now', [early, late]);
    expect(await listed()).toEqual([
      [late.externalId, 1],
      [early.externalId, 1],
    ]);
    const moved = { ...early, startedAtNs: String(BigInt(early.startedAtNs) + 9_000_000_000n) };
    await repository.save('now', [moved]);
    expect(await listed()).toEqual([
      [early.externalId, 2],
      [late.externalId, 1],
    ]);
    await clickhouse.command('OPTIMIZE TABLE trajectory_list FINAL');
    await repository.save('now', [early]);
    expect(await listed()).toEqual([
      [late.externalId, 1],
      [early.externalId, 3],
    ]);
    await repository.retract('now', [late.id]);
    expect(await listed()).toEqual([[early.externalId, 3]]);
  });

  it('a text of a step is found', async () => {
    const page = await repository.list({ projectId: 'now', limit: 10, q: 'TASK 1' });
    expect(page.items.map((item) => item.externalId)).toEqual([runOf(1).externalId]);
    expect((await repository.list({ projectId: 'now', limit: 10, q: 'no such text' })).items).toEqual([]);
  });
});
