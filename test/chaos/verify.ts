/** Reads everything back by every way there is: list, detail, totals. */
import type { Rng } from '#kernel/random';
import { AGENT, traceOf, truthOf, truthOfRun, type Truth } from './load.js';

type Get = <T>(path: string) => Promise<T>;

interface Item {
  id: string;
  traceId: string | null;
  stepCount: number;
  usage: { inputTokens: number | null; outputTokens: number | null };
}

interface Seen {
  /** What the list shows of each trace. */
  byTrace: Map<string, Item[]>;
  list: Pick<Truth, 'runs' | 'inputTokens' | 'outputTokens'>;
  totals: Truth;
}

async function readAll(get: Get): Promise<Seen> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { items: Item[]; nextCursor: string | null } = await get(
      `/api/v1/trajectories?agent=${AGENT}&limit=500${after}`,
    );
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  const byTrace = new Map<string, Item[]>();
  for (const item of items)
    if (item.traceId !== null) byTrace.set(item.traceId, [...(byTrace.get(item.traceId) ?? []), item]);
  const sum = (key: 'inputTokens' | 'outputTokens'): number =>
    items.reduce((total, item) => total + (item.usage[key] ?? 0), 0);
  const stats = await get<Record<string, number>>('/api/v1/stats');
  return {
    byTrace,
    list: { runs: items.length, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') },
    totals: {
      runs: stats['trajectories'] ?? 0,
      spans: stats['spans'] ?? 0,
      modelCalls: stats['modelCalls'] ?? 0,
      inputTokens: stats['inputTokens'] ?? 0,
      outputTokens: stats['outputTokens'] ?? 0,
    },
  };
}

interface Detail {
  steps: { kind: string; usage?: { inputTokens: number | null; outputTokens: number | null } }[];
}

/** The sums of one trajectory's own steps, beside what they must be. */
async function readDetail(
  get: Get,
  id: string,
): Promise<Pick<Truth, 'modelCalls' | 'inputTokens' | 'outputTokens'>> {
  const { steps } = await get<Detail>(`/api/v1/trajectories/${id}`);
  const calls = steps.filter((step) => step.kind === 'model_call');
  const sum = (key: 'inputTokens' | 'outputTokens'): number =>
    calls.reduce((total, step) => total + (step.usage?.[key] ?? 0), 0);
  return { modelCalls: calls.length, inputTokens: sum('inputTokens'), outputTokens: sum('outputTokens') };
}

function detailTruth(run: number): Pick<Truth, 'modelCalls' | 'inputTokens' | 'outputTokens'> {
  const { modelCalls, inputTokens, outputTokens } = truthOfRun(run);
  return { modelCalls, inputTokens, outputTokens };
}

/** Trajectories whose steps are read one by one. */
const DETAILS = 200;

/** Everything acknowledged is there once, by every way of reading it. */
export async function expectTruth(get: Get, acknowledged: ReadonlySet<number>, rng: Rng): Promise<void> {
  const truth = truthOf(acknowledged);
  const seen = await readAll(get);
  const runs = [...acknowledged];
  // Shown whole where there is not one: which ids, revisions and steps tell what went wrong.
  const found = runs.map((run) => ({ run, trajectories: seen.byTrace.get(traceOf(run)) ?? [] }));
  expect(found.filter(({ trajectories }) => trajectories.length !== 1).slice(0, 5)).toEqual([]);
  expect(seen.totals).toEqual(truth);
  const { runs: count, inputTokens, outputTokens } = truth;
  expect(seen.list).toEqual({ runs: count, inputTokens, outputTokens });
  for (const run of rng.shuffle(runs).slice(0, DETAILS)) {
    expect(await readDetail(get, seen.byTrace.get(traceOf(run))?.[0]?.id ?? '')).toEqual(detailTruth(run));
  }
}
