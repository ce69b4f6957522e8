/** What every chaos run does: load, kills, and the truth read back. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Rng } from '#kernel/random';
import { listChildRecords } from '#platform/process';
import { eventually } from '../support/eventually.js';
import type { RatchetProcess } from '../support/ratchet.js';
import { Exporters, truthOf } from './load.js';
import { startSwallowingProxy } from './swallowing-proxy.js';
import { expectTruth } from './verify.js';

const EXPORTERS = 4;
const SWALLOWED_SHARE = 0.1;

export const KILLS = Number(process.env['RATCHET_CHAOS_KILLS'] ?? 50);
export const SEED = Number(process.env['RATCHET_CHAOS_SEED'] ?? 1);

export interface ChaosRun {
  port: number;
  rng: Rng;
  /** Kills something and brings it back. */
  killOne(): Promise<void>;
  /** The app that runs now. */
  app(): RatchetProcess;
  /** Told with the counts. */
  report(): Record<string, unknown>;
}

/** Afterwards everything acknowledged is there once, by every way of reading it; returns how many answers were swallowed. */
export async function killUnderLoad({ port, rng, killOne, app, report }: ChaosRun): Promise<number> {
  const proxy = await startSwallowingProxy(() => port, { share: SWALLOWED_SHARE, rng });
  const exporters = new Exporters(() => proxy.url, EXPORTERS);
  try {
    for (let kills = 0; kills < KILLS; kills++) {
      await delay(100 + rng.next() * 1_500);
      await killOne();
    }
    await exporters.finish();
  } finally {
    // A run that fails ends too: exporters that nobody answers would go on for ever.
    exporters.abandon();
    await proxy.close();
  }
  const truth = truthOf(exporters.acknowledged);
  console.log({ ...exporters.counts, swallowed: proxy.swallowed(), ...report(), ...truth });
  expect(exporters.fatal).toEqual([]);
  await eventually(
    'every run is a trajectory',
    async () => (await app().get<{ trajectories: number }>('/api/v1/stats')).trajectories >= truth.runs,
    300_000,
  );
  await expectTruth(app().get, exporters.acknowledged, rng);
  return proxy.swallowed();
}

/** Kills the ClickHouse under an app, which then ends by itself; false where there is none. */
export async function killStore(home: string, app: RatchetProcess): Promise<boolean> {
  const store = listChildRecords(home).find((child) => child.name === 'clickhouse');
  if (store === undefined) return false;
  const gone = new Promise((resolve) => app.child.once('close', resolve));
  process.kill(store.pid, 'SIGKILL');
  await gone;
  return true;
}
