import { CYCLE_STAGES, type Cycle, type CycleStageName } from '#contracts/cycle';
import { AppError } from '#kernel/errors';
import { migratePostgres, type Postgres } from '#platform/postgres';
import { SystemClock } from '#platform/runtime';
import { Log } from '#platform/telemetry';
import { testRecipe } from '../../../test/support/recipe.js';
import { startEmbeddedPostgres } from '../../../test/support/postgres.js';
import { removeTempDirs } from '../../../test/support/temp-dir.js';
import { CyclesRepository } from './cycles.repository.js';
import { freshStages } from './domain/stages.js';
import { Stage, Stages, type StageContext, type StageResult } from './stage.js';
import { Turn } from './turn.js';

const PROJECT = 'p';
let postgres: Postgres;
let repository: CyclesRepository;
let made = 0;

beforeAll(async () => {
  postgres = await startEmbeddedPostgres();
  await migratePostgres(postgres);
  repository = new CyclesRepository(postgres);
});

afterAll(async () => {
  await postgres.close();
  removeTempDirs();
});

async function newCycle(): Promise<string> {
  const id = `c${(made += 1)}`;
  const cycle: Cycle = {
    id,
    projectId: PROJECT,
    agent: 'a',
    recipe: 'test',
    trigger: 'manual',
    seed: 1,
    state: 'queued',
    verdict: null,
    reason: null,
    stages: freshStages(),
    trainingRunId: null,
    candidateId: null,
    gateReportId: null,
    createdAt: new Date(0).toISOString(),
    endedAt: null,
  };
  await repository.insert(cycle, testRecipe());
  return id;
}

class Scripted extends Stage {
  constructor(
    readonly name: CycleStageName,
    private readonly act: (context: StageContext) => StageResult,
  ) {
    super();
  }
  run(context: StageContext): Promise<StageResult> {
    return Promise.resolve().then(() => this.act(context));
  }
}

/** A store whose process dies right after its nth write: nothing is written after that. */
class DiesAfter extends CyclesRepository {
  constructor(
    store: Postgres,
    private writesLeft: number,
  ) {
    super(store);
  }
  override async update(...args: Parameters<CyclesRepository['update']>) {
    if (this.writesLeft === 0) throw new Error('killed');
    const after = await super.update(...args);
    this.writesLeft -= 1;
    if (this.writesLeft === 0) throw new Error('killed');
    return after;
  }
}

const done = (name: string): StageResult => ({ state: 'done', summary: name, evidence: name });

/** A turn whose stages are done but for the given ones; `ran` collects what ran. */
function turn(
  ran: string[],
  acts: Partial<Record<CycleStageName, (context: StageContext) => StageResult>> = {},
  store = repository,
): Turn {
  const stages = CYCLE_STAGES.map(
    (name) =>
      new Scripted(name, (context) => {
        ran.push(name);
        const act = acts[name];
        if (act) return act(context);
        return name === 'promotion'
          ? { ...done(name), verdict: { verdict: 'promoted', reason: 'all good' } }
          : done(name);
      }),
  );
  return new Turn(store, new Stages(stages), new SystemClock(), Log.silent());
}

const running = (): AbortSignal => new AbortController().signal;

describe('a turn', () => {
  it('runs every stage once, in order, each with the evidence of those before', async () => {
    const ran: string[] = [];
    const seen: unknown[] = [];
    const id = await newCycle();
    const acts = { gate: (context: StageContext) => (seen.push(context.evidence('plan')), done('gate')) };
    const cycle = await turn(ran, acts).run(PROJECT, id, 1, running());
    expect(cycle).toMatchObject({ state: 'done', verdict: 'promoted' });
    expect(ran).toEqual([...CYCLE_STAGES]);
    expect(seen).toEqual(['plan']);
  });

  it('goes on at the first unfinished stage after a kill', async () => {
    const id = await newCycle();
    const first: string[] = [];
    const aborted = new AbortController();
    const killed = {
      training: () => {
        aborted.abort('shutdown');
        throw new Error('the process went away');
      },
    };
    await expect(turn(first, killed).run(PROJECT, id, 1, aborted.signal)).rejects.toThrow();
    const second: string[] = [];
    const cycle = await turn(second).run(PROJECT, id, 2, running());
    expect(second).toEqual(CYCLE_STAGES.slice(CYCLE_STAGES.indexOf('training')));
    expect(cycle.verdict).toBe('promoted');
  });

  it('ends as failed with the stage and its reason, and runs nothing after it', async () => {
    const ran: string[] = [];
    const acts = {
      training: (): StageResult => {
        throw new AppError('training.unavailable', { public: 'no disk' });
      },
    };
    const cycle = await turn(ran, acts).run(PROJECT, await newCycle(), 1, running());
    expect(cycle).toMatchObject({ state: 'failed', verdict: 'failed', reason: 'training: no disk' });
    expect(ran.at(-1)).toBe('training');
    expect(cycle.stages.find((stage) => stage.name === 'promotion')?.state).toBe('skipped');
  });

  it('that was blocked is over: nothing is promoted, and running it again changes nothing', async () => {
    const ran: string[] = [];
    const id = await newCycle();
    const acts = {
      gate: () => ({ ...done('gate'), verdict: { verdict: 'blocked' as const, reason: 'unsafe' } }),
    };
    expect(await turn(ran, acts).run(PROJECT, id, 1, running())).toMatchObject({
      state: 'done',
      verdict: 'blocked',
    });
    const again: string[] = [];
    expect(await turn(again).run(PROJECT, id, 2, running())).toMatchObject({ verdict: 'blocked' });
    expect([...ran, ...again]).not.toContain('promotion');
  });

  /** A stage is two writes, its start and its end. */
  const WRITES = Array.from({ length: 2 * CYCLE_STAGES.length }, (_none, index) => index + 1);
  const blocks = {
    gate: () => ({ ...done('gate'), verdict: { verdict: 'blocked', reason: 'unsafe' } as const }),
  };
  const fails = {
    training: (): StageResult => {
      throw new AppError('training.unavailable', { public: 'no disk' });
    },
  };

  it.each([
    ['promoted', {}, 'done'],
    ['blocked', blocks, 'done'],
    ['failed', fails, 'failed'],
  ] as const)('ends as %s wherever a kill falls between its writes', async (verdict, acts, state) => {
    for (const writes of WRITES) {
      const id = await newCycle();
      const killed = turn([], acts, new DiesAfter(postgres, writes)).run(PROJECT, id, 1, running());
      await killed.catch((error: unknown) => expect(error).toMatchObject({ message: 'killed' }));
      const after: string[] = [];
      expect(await turn(after, acts).run(PROJECT, id, 2, running())).toMatchObject({ verdict, state });
      if (verdict !== 'promoted') expect(after).not.toContain('promotion');
    }
  });

  it('cannot be written by an attempt that was replaced', async () => {
    const id = await newCycle();
    const acts = {
      baseline: (): StageResult => done('baseline'),
      suites: (): StageResult => done('suites'),
    };
    const old = await repository.takeOver(PROJECT, id, 1);
    await turn([], acts).run(PROJECT, id, 2, running());
    await expect(repository.update(old, { verdict: 'blocked' })).rejects.toMatchObject({
      code: 'fencing.stale',
    });
    await expect(repository.takeOver(PROJECT, id, 1)).rejects.toMatchObject({ code: 'fencing.stale' });
  });
});
