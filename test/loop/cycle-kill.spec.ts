import { join } from 'node:path';
import { sql } from 'kysely';
import { CYCLE_JOB, CYCLE_STAGES, type Cycle } from '#contracts/cycle';
import { Cycles, Recipes } from '#loop/cycles';
import { Registry } from '#loop/registry';
import { Postgres } from '#platform/postgres';
import { InProcessJobQueue, JobStore } from '#platform/queue';
import { IdSource, SystemClock } from '#platform/runtime';
import { writeAdapter } from '../support/adapter.js';
import { eventually } from '../support/eventually.js';
import { startInProcess, startProcess, type RatchetProcess } from '../support/ratchet.js';
import { removeTempDirs, tempDir } from '../support/temp-dir.js';

afterAll(removeTempDirs);

const PROJECT = 'default';
const AGENT = 'workplace-assistant';
const CYCLE = 'cycle-to-be-promoted';
const POLICY = 'policy-to-be-promoted';
const ADAPTER = { base: { name: 'base', revision: 'r' }, rank: 1, alpha: 1, value: 1 };
const QUIET = { RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off' };

/** A candidate that passed its gate, in a data folder whose Ratchet has ended. */
async function gatedCandidate(home: string): Promise<{ candidateId: string; productionId: string }> {
  const { app, stop } = await startInProcess({ RATCHET_HOME: home, ...QUIET });
  const registry = app.get(Registry);
  const base = await registry.production(PROJECT, AGENT);
  const { id } = await registry.addCandidate({
    projectId: PROJECT,
    agent: AGENT,
    policyName: POLICY,
    agentRef: base.agentRef,
    agentRefDigest: 'digest-of-the-candidate',
    parentId: base.id,
    runId: `run-${CYCLE}`,
    cycleId: CYCLE,
    adapterDir: writeAdapter(join(home, 'adapter'), ADAPTER),
    admission: { ok: true, problems: [], name: POLICY, digest: 'd'.repeat(64), rank: 16, deltaNorm: 1 },
  });
  const move = { projectId: PROJECT, candidateId: id, actor: 'gate', reason: 'every check passed' };
  await registry.recordVerdict(move, 'gated', 'gate-of-the-test');
  const recipe = await app.get(Recipes).forTurn(PROJECT, AGENT, undefined);
  await stop();
  const evidence: Record<string, unknown> = {
    buckets: { buckets: [] },
    baseline: { productionId: base.id, policy: base.policyName },
    admission: { candidateId: id, policy: POLICY, problems: [], deltaNorm: 1 },
  };
  await queuePromotion(home, recipe, evidence);
  return { candidateId: id, productionId: base.id };
}

/** Stores a turn that has everything behind it but its promotion. */
async function queuePromotion(
  home: string,
  recipe: Parameters<Cycles['start']>[0]['recipe'],
  evidence: Record<string, unknown>,
): Promise<void> {
  const postgres = await Postgres.startEmbedded({ homeDir: home });
  const stages = CYCLE_STAGES.map((name) => ({
    name,
    state: name === 'promotion' ? 'pending' : 'done',
    startedAt: null,
    endedAt: null,
    progress: null,
    summary: null,
    evidence: evidence[name] ?? {},
  }));
  const row = {
    project_id: PROJECT,
    id: CYCLE,
    agent: AGENT,
    recipe: JSON.stringify(recipe),
    trigger: 'manual',
    seed: 1,
    state: 'queued',
    stages: JSON.stringify(stages),
    fencing: 0,
    created_at: new Date(),
  };
  await postgres.tables<{ cycles: typeof row }>().insertInto('cycles').values(row).execute();
  const jobs = new JobStore(postgres, new IdSource(new SystemClock()), new InProcessJobQueue());
  // Every kill costs an attempt.
  await jobs.enqueue({ projectId: PROJECT, kind: CYCLE_JOB, payload: { cycleId: CYCLE }, maxAttempts: 20 });
  await postgres.close();
}

interface Page<T> {
  items: T[];
}

const cycleOf = (app: RatchetProcess): Promise<Cycle> => app.get<Cycle>(`/api/v1/cycles/${CYCLE}`);

describe('kill -9 around a promotion', () => {
  it('leaves one version in production at every moment, and the turn ends as promoted, once', async () => {
    const home = tempDir();
    const { candidateId, productionId } = await gatedCandidate(home);
    // Before the worker has looked, while it promotes, and right after: each kill falls somewhere else.
    for (const waitMs of [0, 40, 120, 300]) {
      const app = await startProcess({ RATCHET_HOME: home, ...QUIET });
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await app.end('SIGKILL');
    }
    const app = await startProcess({ RATCHET_HOME: home, ...QUIET });
    try {
      const cycle = await eventually(
        'the turn ends',
        async () => {
          const now = await cycleOf(app);
          return now.state === 'done' || now.state === 'failed' ? now : null;
        },
        120_000,
      );
      expect(cycle).toMatchObject({ state: 'done', verdict: 'promoted' });
      const { items } = await app.get<Page<{ id: string; state: string }>>('/api/v1/candidates?limit=50');
      const states = Object.fromEntries(items.map(({ id, state }) => [id, state]));
      expect(states).toMatchObject({ [candidateId]: 'production', [productionId]: 'retired' });
      const routes = await app.get<Page<{ policy: string }>>('/api/v1/deployments');
      expect(routes.items.map(({ policy }) => policy)).toEqual([POLICY]);
    } finally {
      await app.end('SIGTERM');
    }
    await expectOnePromotion(home, candidateId);
  }, 300_000);
});

describe('kill -9 at the last attempt', () => {
  it('ends the turn as failed, naming the stage and the reason, and promotes nothing', async () => {
    const home = tempDir();
    const { productionId } = await gatedCandidate(home);
    const postgres = await Postgres.startEmbedded({ homeDir: home });
    // What a worker leaves that was killed at its last allowed attempt.
    await sql`UPDATE jobs SET state = 'running', owner = 'gone', attempt = max_attempts, fencing = max_attempts,
                lease_until = clock_timestamp() - interval '1 second' WHERE kind = ${CYCLE_JOB}`.execute(
      postgres.tables(),
    );
    await postgres.close();
    const app = await startProcess({ RATCHET_HOME: home, ...QUIET });
    try {
      const cycle = await eventually(
        'the turn ends',
        async () => {
          const now = await cycleOf(app);
          return now.state === 'failed' ? now : null;
        },
        60_000,
      );
      expect(cycle).toMatchObject({
        verdict: 'failed',
        reason: expect.stringMatching(/^promotion: The worker stopped answering at attempt 20 of 20/),
      });
      const { items } = await app.get<Page<{ id: string; state: string }>>('/api/v1/candidates?limit=50');
      expect(items.find(({ id }) => id === productionId)?.state).toBe('production');
    } finally {
      await app.end('SIGTERM');
    }
  }, 180_000);
});

/** The audit tells of one promotion, however often it was tried. */
async function expectOnePromotion(home: string, candidateId: string): Promise<void> {
  const { app, stop } = await startInProcess({ RATCHET_HOME: home, ...QUIET });
  const events = await app.get(Registry).events(PROJECT, AGENT);
  await stop();
  const promotions = events.filter((one) => one.candidateId === candidateId && one.toState === 'production');
  expect(promotions).toHaveLength(1);
}
