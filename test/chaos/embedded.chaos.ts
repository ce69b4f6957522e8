/**
 * npm run test:chaos: the embedded deployment is killed again and again under load, whole or its store alone, while a proxy
 * swallows answers. Afterwards everything acknowledged is there once, by every way of reading it.
 * RATCHET_CHAOS_KILLS (50) and RATCHET_CHAOS_SEED choose how long and which.
 */
import { seededRng } from '#kernel/random';
import { freePort } from '../support/free-port.js';
import { startProcess, type RatchetProcess } from '../support/ratchet.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';
import { KILLS, killStore, killUnderLoad, SEED } from './under-load.js';

/** Of the kills, those that hit the store's process alone. */
const STORE_SHARE = 0.3;

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
    if (rng.next() >= STORE_SHARE || !(await killStore(home, app))) await app.end('SIGKILL');
  };

  it('keeps every acknowledged span once: counts per id, sums of tokens, by list, detail and totals', async () => {
    port = await freePort();
    await start();
    const swallowed = await killUnderLoad({
      port,
      rng,
      killOne: async () => {
        await kill();
        await start();
      },
      app: () => app,
      report: () => ({ kills: KILLS }),
    });
    expect(swallowed).toBeGreaterThan(0);
  }, 3_600_000);
});
