import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CYCLE_STAGES, type Cycle } from '#contracts/cycle';
import type { GateReport } from '#contracts/gate';
import type { Recipe } from '#contracts/recipe';
import type { TrainerEvent } from '#contracts/training-job';
import { isAlive, listChildRecords } from '#platform/process';
import { eventually } from '../support/eventually.js';
import {
  cli,
  interruptedCli,
  rootDir,
  startProcess,
  type Ended,
  type RatchetProcess,
} from '../support/ratchet.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';

interface CycleView extends Cycle {
  gateReport: { report: GateReport } | null;
}
interface Page<T> {
  items: T[];
}
interface Route {
  agent: string;
  policy: string;
}

const AGENT = 'workplace-assistant';
/** A hang ends here; a busy or slow machine does not. */
const TURN_MS = 30 * 60_000;
/** Fewer than the recipe's: enough for a gain that the gate sees, in half of the time. */
const STEPS = 35;
/** Failures that the turn begins with; the demo waits for more. */
const FAILURES = 15;

let app: RatchetProcess;
let cycle: CycleView;
let exitCode: number | null;
let interrupted: Ended;

const stageOf = (of: Cycle, name: string) => of.stages.find((stage) => stage.name === name);

/** Kills the app once the trainer has taken a step, and starts it again on the same data. */
async function killWhileTraining(home: string, id: string): Promise<void> {
  await eventually(
    'the trainer takes steps',
    async () =>
      /^step/.test(stageOf(await app.get<Cycle>(`/api/v1/cycles/${id}`), 'training')?.summary ?? ''),
    TURN_MS,
  );
  const children = listChildRecords(home);
  expect(children.some(({ name }) => name.startsWith('trainer-'))).toBe(true);
  await app.end('SIGKILL');
  await eventually('no child outlives the app', () =>
    children.every((child) => !isAlive(child.pid, child.startToken)),
  );
  app = await startProcess({ RATCHET_HOME: home });
}

/** The demo's first turn by its own key, so that it starts no other, with the default recipe shortened. */
async function startTurn(): Promise<Cycle> {
  await eventually(
    'failures stand in buckets',
    async () => {
      const { items } = await app.get<Page<{ failures: number }>>('/api/v1/buckets?limit=500');
      return items.reduce((sum, bucket) => sum + bucket.failures, 0) >= FAILURES;
    },
    180_000,
  );
  const recipe = JSON.parse(
    readFileSync(join(rootDir, 'examples', 'workplace', 'default.json'), 'utf8'),
  ) as Recipe;
  const response = await fetch(`${app.url}/api/v1/cycles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'demo-first-turn' },
    body: JSON.stringify({ recipe: { ...recipe, hyper: { ...recipe.hyper, steps: STEPS } } }),
  });
  expect(response.status).toBe(201);
  return (await response.json()) as Cycle;
}

/**
 * One real turn by the real trainer, in an environment that the app makes itself. A person stops watching it, then the app is
 * killed while it trains: the turn goes on.
 */
beforeAll(async () => {
  const home = tempDir();
  app = await startProcess({ RATCHET_HOME: home });
  const first = await startTurn();
  interrupted = await interruptedCli(app, /\w: /, 'cycle', '--id', first.id, '--wait');
  await killWhileTraining(home, first.id);
  const ended = await cli(app, 'cycle', '--id', first.id, '--wait', '--json');
  exitCode = ended.code;
  cycle = JSON.parse(ended.output.slice(ended.output.indexOf('{'))) as CycleView;
}, TURN_MS);

afterAll(async () => {
  await app.end('SIGTERM');
  removeTempDirs();
}, 60_000);

const evidence = (name: string): Record<string, unknown> =>
  (cycle.stages.find((stage) => stage.name === name)?.evidence ?? {}) as Record<string, unknown>;

describe('one real turn of the loop', () => {
  it('goes on when a person ends the watching of it by Ctrl-C, and says how to watch it again', () => {
    expect(interrupted.code).toBe(130);
    expect(interrupted.output).toContain(`npx ratchet cycle --id ${cycle.id} --wait`);
  });

  it('ran every stage up to the gate, and the command line says how it ended', () => {
    const through = CYCLE_STAGES.slice(0, CYCLE_STAGES.indexOf('gate') + 1);
    for (const name of through)
      expect(cycle.stages.find((stage) => stage.name === name)).toMatchObject({ state: 'done' });
    expect(['promoted', 'blocked']).toContain(cycle.verdict);
    expect(exitCode).toBe(cycle.verdict === 'promoted' ? 0 : 3);
    expect(cycle.gateReport?.report.verdict).toBe(cycle.verdict === 'promoted' ? 'promote' : 'block');
  });

  it('went on after the app was killed while it trained: as the second attempt of the same run', () => {
    expect(evidence('training')).toMatchObject({ runId: `run-${cycle.id}`, attempt: 2 });
  });

  it('says why GRPO, by the rule, and which of its tests do not apply to this policy', () => {
    expect(evidence('plan')['fix']).toMatchObject({ rule: 7, fix: 'environment_rl' });
    const { notApplicable } = evidence('plan')['fix'] as {
      notApplicable: { test: string; reason: string }[];
    };
    expect(notApplicable.map((one) => one.test)).toEqual(
      expect.arrayContaining(['factHelps', 'promptHelps']),
    );
  });

  it('measured the five rates of the baseline, each with its interval', () => {
    const { rates } = evidence('baseline')['rates'] as {
      rates: Record<string, { value: { lower: number; upper: number } | null }>;
    };
    const names = ['valid_json', 'right_tool', 'right_arguments', 'execution_success', 'unsafe_actions'];
    for (const name of names)
      expect(rates[name]?.value).toMatchObject({ lower: expect.any(Number), upper: expect.any(Number) });
  });

  it('trained: steps and validation were reported, and the adapter is there as PEFT files and as a graph', async () => {
    const { items } = await app.get<Page<TrainerEvent>>(
      `/api/v1/training-runs/${cycle.trainingRunId}/events?limit=2000`,
    );
    const types = items.map((event) => event.type);
    expect(types.filter((type) => type === 'step').length).toBeGreaterThan(10);
    expect(types).toContain('validation');
    const dir = evidence('training')['adapterDir'] as string;
    for (const file of ['adapter_config.json', 'adapter_model.safetensors', 'policy.onnx']) {
      expect(existsSync(join(dir, file))).toBe(true);
    }
  });

  it('kept the seal: nothing held out was trained on', () => {
    const seal = cycle.gateReport?.report.checks.find((check) => check.id === 'integrity.seal');
    expect(seal).toMatchObject({ status: 'pass', candidate: 0 });
  });

  it('made the policy better on sealed traffic', () => {
    const success = cycle.gateReport?.report.checks.find((check) => check.id === 'quality.success');
    expect(success?.status).toBe('pass');
    expect(success?.difference ?? 0).toBeGreaterThan(0);
  });

  it('serves the candidate exactly when it was promoted, stamps new trajectories with it, and rolls back', async () => {
    const served = async (): Promise<string | undefined> =>
      (await app.get<Page<Route>>('/api/v1/deployments')).items.find((route) => route.agent === AGENT)
        ?.policy;
    const candidate = evidence('admission')['policy'] as string;
    if (cycle.verdict === 'blocked') {
      expect(await served()).not.toBe(candidate);
      return;
    }
    expect(await served()).toBe(candidate);
    await eventually(
      'a new trajectory is stamped with the candidate',
      async () =>
        (await app.get<Page<{ policy: string | null }>>('/api/v1/trajectories?limit=50')).items.some(
          (trajectory) => trajectory.policy === candidate,
        ),
      120_000,
    );
    const rollback = await cli(app, 'rollback', '--json');
    expect(rollback.code).toBe(0);
    expect(await served()).not.toBe(candidate);
  }, 180_000);
});
