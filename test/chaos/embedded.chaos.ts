/**
 * npm run test:chaos: the embedded deployment is killed again and again under load, whole or its store alone, while a proxy
 * swallows answers. Afterwards everything acknowledged is there once, by every way of reading it.
 * RATCHET_CHAOS_KILLS (50) and RATCHET_CHAOS_SEED choose how long and which.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { seededRng } from '#kernel/random';
import { listChildRecords } from '#platform/process';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startProcess, type RatchetProcess } from '../support/ratchet.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';
import { Exporters, truthOf } from './load.js';
import { startSwallowingProxy } from './swallowing-proxy.js';
import { expectTruth } from './verify.js';

const KILLS = Number(process.env['RATCHET_CHAOS_KILLS'] ?? 50);
const SEED = Number(process.env['RATCHET_CHAOS_SEED'] ?? 1);
const EXPORTERS = 4;
/** Of the kills, those that hit the store's process alone. */
const STORE_SHARE = 0.3;
const SWALLOWED_SHARE = 0.1;

describe(`the embedded deployment, killed ${KILLS} times under load (seed ${SEED})`, () => {
  const home = tempDir();
  const rng = seededRng(SEED);
  let port = 0;
  let app: RatchetProcess;

  afterAll(async () => {
    await app.end('SIGTERM');
    removeTempDirs();
  });

  const start = async (): Promise<void> => {
    app = await startProcess({
      RATCHET_HOME: home,
      RATCHET_PORT: String(port),
      RATCHET_DEMO: 'off',
      RATCHET_TRAIN: 'off',
    });
  };

  /** Kills the app, or the store under it: the app then ends by itself. */
  const kill = async (): Promise<void> => {
    const store = listChildRecords(home).find((child) => child.name === 'clickhouse');
    if (rng.next() >= STORE_SHARE || store === undefined) return void (await app.end('SIGKILL'));
    const gone = new Promise((resolve) => app.child.once('close', resolve));
    process.kill(store.pid, 'SIGKILL');
    await gone;
  };

  it('keeps every acknowledged span once: counts per id, sums of tokens, by list, detail and totals', async () => {
    port = await freePort();
    await start();
    const proxy = await startSwallowingProxy(() => port, { share: SWALLOWED_SHARE, rng });
    const exporters = new Exporters(() => proxy.url, EXPORTERS);
    for (let kills = 0; kills < KILLS; kills++) {
      await delay(100 + rng.next() * 1_500);
      await kill();
      await start();
    }
    await exporters.finish();
    const truth = truthOf(exporters.acknowledged);
    console.log({ ...exporters.counts, swallowed: proxy.swallowed(), kills: KILLS, ...truth });
    expect(exporters.fatal).toEqual([]);
    expect(proxy.swallowed()).toBeGreaterThan(0);
    await eventually(
      'every run is a trajectory',
      async () => (await app.get<{ trajectories: number }>('/api/v1/stats')).trajectories >= truth.runs,
      300_000,
    );
    await expectTruth(app.get, exporters.acknowledged, rng);
    await proxy.close();
  }, 3_600_000);
});
