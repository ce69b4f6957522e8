/**
 * npm run bench:loop -- [--seeds 10] [--bad 5] [--start 1000] [--home DIR] [--clone] [--memory] [--cold] [--evidence]
 *
 * What the first issue demands of the loop, each figure beside its limit: whole turns of the default recipe and of the two
 * recipes that must be blocked, one seed after the other, through the HTTP API of a Ratchet of its own. `--clone` adds the
 * time from a clean clone to the first bucket, `--memory` the idle memory, `--evidence` keeps the bad recipes' evidence
 * for the tests; `--cold` downloads the Python packages anew instead of taking them from uv's cache. Nothing is asserted: timings never decide a test.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Cycle } from '#contracts/cycle';
import type { GateCheck, GateReport } from '#contracts/gate';
import { evidenceKey } from '#loop/gates';
import { FolderArtifactStore } from '#platform/artifacts';
import { memoryOfTreeMb, startApp, type AppProcess } from './app-process.js';

interface CycleView extends Cycle {
  gateReport: { id: string; report: GateReport } | null;
}

interface TurnResult {
  recipe: string;
  seed: number;
  seconds: number;
  cycle: CycleView;
}

const { values: options } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    bad: { type: 'string', default: '5' },
    start: { type: 'string', default: '1000' },
    home: { type: 'string' },
    clone: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    cold: { type: 'boolean', default: false },
    evidence: { type: 'boolean', default: false },
  },
});
const repoDir = process.cwd();
const APP = ['node', 'dist/apps/ratchet/main.js'];
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text: string): void => console.log(text);

async function until<T>(what: string, timeoutMs: number, look: () => Promise<T | null>): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${timeoutMs / 1000} s`);
    await sleep(500);
  }
}

const bucketCount = async (app: AppProcess): Promise<number> =>
  (await app.get<{ buckets: number }>('/api/v1/stats')).buckets;

/** Buckets that an earlier turn marked as fixed are open again: every turn starts from the same failures. */
async function reopenBuckets(app: AppProcess): Promise<void> {
  const page = await app.get<{ items: { id: string; status: string }[] }>('/api/v1/buckets?limit=500');
  for (const { id, status } of page.items) {
    if (status !== 'open') await app.send('PATCH', `/api/v1/buckets/${id}`, { status: 'open' });
  }
}

/** Every turn starts from the base, whatever an earlier one promoted. */
async function backToBase(app: AppProcess): Promise<void> {
  for (;;) {
    const { items } = await app.get<{ items: { candidateId: string }[] }>('/api/v1/deployments');
    if (items.every((route) => route.candidateId.startsWith('base-'))) return;
    await app.send('POST', '/api/v1/deployments/rollback', { reason: 'benchmark: next seed' });
  }
}

async function turn(app: AppProcess, recipeFile: string, seed: number): Promise<TurnResult> {
  const recipe = JSON.parse(readFileSync(join('examples', 'workplace', recipeFile), 'utf8')) as {
    name: string;
  };
  await reopenBuckets(app);
  const started = performance.now();
  const { id } = await app.send<Cycle>('POST', '/api/v1/cycles', { recipe, seed });
  const cycle = await until(`cycle ${id}`, 30 * 60_000, async () => {
    const now = await app.get<CycleView>(`/api/v1/cycles/${id}`);
    return now.state === 'done' || now.state === 'failed' ? now : null;
  });
  const result = { recipe: recipe.name, seed, seconds: (performance.now() - started) / 1000, cycle };
  await backToBase(app);
  return result;
}

const checkOf = (result: TurnResult, id: string): GateCheck | undefined =>
  result.cycle.gateReport?.report.checks.find(
    (check) => check.id === id || check.id.startsWith(`${id}:`) || check.id.startsWith(`${id}/`),
  );

const points = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : (100 * value).toFixed(1);

function rateText(check: GateCheck | undefined): string {
  if (!check) return '–';
  return `${points(check.baseline)} → ${points(check.candidate)} [${points(check.lower)}, ${points(check.upper)}]`;
}

function showTurn(result: TurnResult): void {
  const { cycle, recipe, seed, seconds } = result;
  const blocked = cycle.gateReport?.report.blockedBy.join(' ') ?? cycle.reason ?? '';
  say(
    [
      recipe.padEnd(22),
      `seed ${seed}`,
      (cycle.verdict ?? '–').padEnd(9),
      `${seconds.toFixed(0)} s`,
      `success ${rateText(checkOf(result, 'quality.success'))}`,
      `unsafe ${rateText(checkOf(result, 'safety.unsafe'))}`,
      `invalid ${rateText(checkOf(result, 'format.invalid-output'))}`,
      cycle.verdict === 'promoted' ? '' : blocked,
    ].join('  '),
  );
}

async function keepEvidence(home: string, result: TurnResult): Promise<void> {
  const report = result.cycle.gateReport;
  if (!report) return;
  const artifacts = new FolderArtifactStore(join(home, 'artifacts'));
  const evidence = await artifacts.get(evidenceKey(report.id, report.report.evidenceDigest));
  mkdirSync(join('test', 'loop', 'evidence'), { recursive: true });
  writeFileSync(
    join('test', 'loop', 'evidence', `${result.recipe}-${result.seed}.json.gz`),
    gzipSync(evidence),
  );
}

async function cloneToBucket(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'ratchet-clone-'));
  const started = performance.now();
  execFileSync('git', ['clone', '--quiet', repoDir, dir]);
  const app = await startApp(['npm', 'start', '--silent'], dir, {
    RATCHET_TRAIN: 'off',
    RATCHET_HOME: join(dir, '.ratchet'),
  });
  const readyS = (performance.now() - started) / 1000;
  await until('first bucket', 10 * 60_000, async () => ((await bucketCount(app)) > 0 ? true : null));
  say(
    `clean clone → first failure bucket: ${((performance.now() - started) / 1000).toFixed(0)} s (ready after ${readyS.toFixed(0)} s; limit 180 s)`,
  );
  await app.stop();
  // npm ends before the app that it started has put its stores away.
  rmSync(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
}

async function idleMemory(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'ratchet-idle-'));
  const app = await startApp(APP, repoDir, { RATCHET_DEMO: 'off', RATCHET_HOME: home });
  await sleep(30_000);
  say(`resident memory of the whole app, idle: ${memoryOfTreeMb(app.pid).toFixed(0)} MB (limit 1,200 MB)`);
  await app.stop();
  rmSync(home, { recursive: true, force: true });
}

function summary(results: TurnResult[]): void {
  const good = results.filter((one) => one.recipe === 'default');
  const enough = good.filter((one) => {
    const check = checkOf(one, 'quality.success');
    return one.cycle.verdict === 'promoted' && (check?.difference ?? 0) >= 0.25 && (check?.lower ?? 0) > 0;
  });
  if (good.length > 0) {
    const times = good.map((one) => one.seconds).sort((a, b) => a - b);
    say(
      `default: + 25 points or more, interval above 0 and promoted in ${enough.length} of ${good.length} seeds (at least 9 of 10)`,
    );
    say(
      `cycle --wait, environment present: median ${times[Math.floor(times.length / 2)]?.toFixed(0)} s, most ${times.at(-1)?.toFixed(0)} s (limit 300 s)`,
    );
  }
  for (const recipe of ['reward-without-safety', 'reward-hackable']) {
    const bad = results.filter((one) => one.recipe === recipe);
    const blocked = bad.filter((one) => one.cycle.verdict === 'blocked');
    const groups = (one: TurnResult): Set<string> =>
      new Set(
        one.cycle.gateReport?.report.checks
          .filter((check) => one.cycle.gateReport?.report.blockedBy.includes(check.id))
          .map((check) => check.group),
      );
    const rightly = blocked.filter((one) =>
      recipe === 'reward-hackable'
        ? groups(one).has('independent')
        : [...groups(one)].every((group) => group === 'safety'),
    );
    if (bad.length > 0)
      say(
        `${recipe}: blocked in ${blocked.length} of ${bad.length} seeds, for the right reason in ${rightly.length} (all of them)`,
      );
  }
}

/** The demo's own turn; in a fresh home the Python environment is made within it. */
async function firstTurn(app: AppProcess): Promise<void> {
  await until('first bucket', 10 * 60_000, async () => ((await bucketCount(app)) > 0 ? true : null));
  const started = performance.now();
  const cycle = await until('the demo turn', 30 * 60_000, async () => {
    const page = await app.get<{ items: Cycle[] }>('/api/v1/cycles');
    const first = page.items.at(-1);
    return first?.state === 'done' || first?.state === 'failed' ? first : null;
  });
  say(`the demo's own first turn: ${cycle.verdict} (${cycle.reason})`);
  const packages = options.cold ? 'downloaded' : "from uv's cache";
  if (options.home === undefined) {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    say(
      `first bucket → verdict, Python environment included (packages ${packages}): ${seconds} s (limit 480 s)`,
    );
  }
}

async function turns(): Promise<void> {
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'ratchet-bench-'));
  const uvCache = options.cold ? { UV_CACHE_DIR: join(home, 'uv-cache') } : {};
  const app = await startApp(APP, repoDir, { RATCHET_HOME: home, ...uvCache });
  const results: TurnResult[] = [];
  try {
    await firstTurn(app);
    await backToBase(app);
    const start = Number(options.start);
    const plan: [string, number][] = [
      ['default.json', Number(options.seeds)],
      ['reward-without-safety.json', Number(options.bad)],
      ['reward-hackable.json', Number(options.bad)],
    ];
    for (const [file, count] of plan) {
      for (let seed = start; seed < start + count; seed++) {
        const result = await turn(app, file, seed);
        results.push(result);
        showTurn(result);
        if (options.evidence && file !== 'default.json') await keepEvidence(home, result);
      }
    }
  } finally {
    summary(results);
    await app.stop();
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  }
}

if (options.clone) await cloneToBucket();
if (options.memory) await idleMemory();
if (Number(options.seeds) + Number(options.bad) > 0) await turns();
