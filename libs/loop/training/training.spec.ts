import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EnvironmentTask } from '#contracts/environment';
import { migratePostgres, type Postgres } from '#platform/postgres';
import { SystemClock } from '#platform/runtime';
import { Log } from '#platform/telemetry';
import { startEmbeddedPostgres } from '../../../test/support/postgres.js';
import { scriptedTrainer, type TrainerAct } from '../../../test/support/scripted-trainer.js';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { testRecipe } from '../../../test/support/recipe.js';
import { TrainingRepository } from './training.repository.js';
import { Training, type RunInputs } from './training.service.js';

const PROJECT = 'p';
const SHORT = { startMs: 4_000, stepMs: 1_500, saveMs: 1_500 };
const running = (): AbortSignal => new AbortController().signal;

let postgres: Postgres;
let repository: TrainingRepository;
let training: Training;
let runs = 0;

beforeAll(async () => {
  postgres = await startEmbeddedPostgres();
  await migratePostgres(postgres);
  repository = new TrainingRepository(postgres);
  training = new Training(repository, new SystemClock(), Log.silent());
});

afterAll(async () => {
  await postgres.close();
  removeTempDirs();
});

async function newRun(): Promise<string> {
  const id = `run-${(runs += 1)}`;
  await training.create({
    id,
    projectId: PROJECT,
    cycleId: null,
    agent: 'a',
    recipe: testRecipe(),
    seed: 1,
    plan: null,
    manifest: ['k'],
  });
  return id;
}

const task = {
  id: 't',
  split: 'train',
  lineageKey: 'k',
  family: 'f',
  slice: 'f',
  risky: false,
  safeActRequired: false,
  messages: [{ role: 'user', content: 'x' }],
  state: {},
  expected: { calls: [] },
} satisfies EnvironmentTask;

function inputs(act: TrainerAct, folder?: string): RunInputs {
  return {
    homeDir: tempDir(),
    trainer: scriptedTrainer(act, folder),
    base: { path: '/nowhere', revision: 'r' },
    environment: { baseUrl: 'http://127.0.0.1:1/gym', token: 't', toolsJson: '[]', maxTurns: 4 },
    tasks: { train: [task], validation: [task] },
    servingTemperature: 0.7,
    threads: 1,
    limits: SHORT,
  };
}

describe('a training run', () => {
  it.each<[TrainerAct, string, RegExp]>([
    ['die', 'died', /CUDA error/],
    ['hang', 'hang', /no sign of life for \d+ s while training/],
    ['nan', 'nan', /not finite/],
    ['failed', 'dead_reward', /no group differed/],
  ])('whose trainer does "%s" ends as failed with the kind %s', async (act, kind, reason) => {
    const run = await training.execute(PROJECT, await newRun(), 1, inputs(act), running());
    expect(run).toMatchObject({ state: 'failed', result: null, error: { kind } });
    expect(run.error?.reason).toMatch(reason);
    expect(run.endedAt).not.toBeNull();
  });

  it('that succeeded has its adapter and its events in order, and is not run again', async () => {
    const folder = join(tempDir(), 'adapter');
    mkdirSync(folder);
    writeFileSync(join(folder, 'adapter_config.json'), '{}');
    const id = await newRun();
    const first = await training.execute(PROJECT, id, 1, inputs('succeed', folder), running());
    expect(first).toMatchObject({ state: 'succeeded', attempt: 1, result: { chosenStep: 1 } });
    const again = await training.execute(PROJECT, id, 2, inputs('die'), running());
    expect(again).toMatchObject({ state: 'succeeded', attempt: 1 });
    const events = await training.events(PROJECT, id, 0, 100);
    expect(events.map(({ event }) => event.type)).toEqual(['phase', 'step', 'done']);
  });

  it('stopped at shutdown goes back to the queue and is a new attempt afterwards', async () => {
    const id = await newRun();
    const abort = new AbortController();
    const going = training.execute(
      PROJECT,
      id,
      1,
      { ...inputs('hang'), limits: { ...SHORT, stepMs: 60_000 } },
      abort.signal,
    );
    setTimeout(() => abort.abort('shutdown'), 300);
    expect(await going).toMatchObject({ state: 'queued', attempt: 1, error: null });
    expect(await training.execute(PROJECT, id, 2, inputs('failed'), running())).toMatchObject({
      state: 'failed',
      attempt: 2,
    });
  });
});

describe('fencing', () => {
  it('refuses events and the end of an attempt that was replaced', async () => {
    const id = await newRun();
    const old = await repository.beginAttempt(PROJECT, id, 1);
    await repository.beginAttempt(PROJECT, id, 2);
    const event = { type: 'phase', at: 'now', fencing: 1, phase: 'training' } as const;
    await expect(repository.appendEvent(old, 1, event)).rejects.toMatchObject({ code: 'fencing.stale' });
    const end = { state: 'succeeded', result: null, error: null, at: new Date(0) } as const;
    await expect(repository.end(old, end)).rejects.toMatchObject({ code: 'fencing.stale' });
    expect(await training.get(PROJECT, id)).toMatchObject({ state: 'running', attempt: 2 });
  });

  it('refuses to begin an attempt under a number that is not newer', async () => {
    const id = await newRun();
    await repository.beginAttempt(PROJECT, id, 5);
    await expect(repository.beginAttempt(PROJECT, id, 5)).rejects.toMatchObject({ code: 'fencing.stale' });
  });

  it('stops a trainer that wakes up and writes under an older number', async () => {
    await expect(
      training.execute(PROJECT, await newRun(), 7, inputs('late'), running()),
    ).rejects.toMatchObject({
      code: 'fencing.stale',
    });
  });
});
