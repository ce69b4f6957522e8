import type { AgentRef } from '#contracts/policy';
import { migratePostgres, type Postgres } from '#platform/postgres';
import { IdSource, SystemClock } from '#platform/runtime';
import { startEmbeddedPostgres } from '../../../test/support/postgres.js';
import { removeTempDirs } from '../../../test/support/temp-dir.js';
import { RegistryRepository } from './registry.repository.js';
import { Registry } from './registry.service.js';

let postgres: Postgres;
let registry: Registry;
let projects = 0;

beforeAll(async () => {
  postgres = await startEmbeddedPostgres();
  await migratePostgres(postgres);
  const clock = new SystemClock();
  registry = new Registry(new RegistryRepository(postgres), new IdSource(clock), clock);
});

afterAll(async () => {
  await postgres.close();
  removeTempDirs();
});

const agentRef: AgentRef = {
  policy: {
    base: 'b',
    revision: 'r',
    quantisation: null,
    adapter: null,
    chatTemplateHash: 'c',
    toolParser: 't',
    sampling: { temperature: 0.7, topP: 1, maxTokens: 48 },
  },
  promptHash: 'p',
  toolsHash: 't',
  harnessVersion: '1',
};

/** A project of its own with a base in production. */
async function project(): Promise<string> {
  const projectId = `p${(projects += 1)}`;
  await registry.installBase({ projectId, agent: 'a', policyName: 'base', agentRef, agentRefDigest: 'base' });
  return projectId;
}

async function candidate(projectId: string, name: string): Promise<string> {
  const production = await registry.production(projectId, 'a');
  const admission = { ok: true, problems: [], name, digest: name.padEnd(12, '0'), rank: 16, deltaNorm: 1 };
  const made = await registry.addCandidate({
    projectId,
    agent: 'a',
    policyName: name,
    agentRef,
    agentRefDigest: name,
    parentId: production.id,
    runId: 'r',
    cycleId: name,
    adapterDir: `/adapters/${name}`,
    admission,
  });
  return made.id;
}

const move = (projectId: string, candidateId: string) => ({
  projectId,
  candidateId,
  actor: 'test',
  reason: 'because',
});

async function promoted(projectId: string, name: string): Promise<string> {
  const id = await candidate(projectId, name);
  await registry.recordVerdict(move(projectId, id), 'gated', `gate-${name}`);
  await registry.promote(move(projectId, id), (await registry.production(projectId, 'a')).id);
  return id;
}

describe('the registry', () => {
  it('installs the base once, whatever is in production later', async () => {
    const p = await project();
    const id = await promoted(p, 'x');
    await registry.installBase({
      projectId: p,
      agent: 'a',
      policyName: 'base',
      agentRef,
      agentRefDigest: 'base',
    });
    expect((await registry.production(p, 'a')).id).toBe(id);
  });

  it.each(['candidate', 'blocked'] as const)('never promotes a version that is %s', async (state) => {
    const p = await project();
    const id = await candidate(p, 'x');
    if (state === 'blocked') await registry.recordVerdict(move(p, id), 'blocked', 'g');
    const base = await registry.production(p, 'a');
    await expect(registry.promote(move(p, id), base.id)).rejects.toMatchObject({ code: 'gate.blocked' });
    expect((await registry.production(p, 'a')).id).toBe(base.id);
  });

  it('lets one of two promotions win that saw the same version, and repeats nothing', async () => {
    const p = await project();
    const base = await registry.production(p, 'a');
    const ids = await Promise.all([candidate(p, 'x'), candidate(p, 'y')]);
    for (const id of ids) await registry.recordVerdict(move(p, id), 'gated', `gate-${id}`);
    const ends = await Promise.allSettled(ids.map((id) => registry.promote(move(p, id), base.id)));
    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(1);
    const winner = await registry.production(p, 'a');
    await registry.promote(move(p, winner.id), base.id);
    expect((await registry.production(p, 'a')).id).toBe(winner.id);
    expect(await registry.get(p, base.id)).toMatchObject({ state: 'retired' });
  });

  it.each(['rolled_back', 'retired'] as const)(
    'never lets a promotion bring back a version that is %s: that is what a rollback is for',
    async (state) => {
      const p = await project();
      const base = await registry.production(p, 'a');
      const id = await promoted(p, 'x');
      if (state === 'rolled_back') await registry.rollback(p, 'a', 'person', 'worse');
      else await promoted(p, 'y');
      const serving = await registry.production(p, 'a');
      const again = registry.promote(move(p, id), state === 'retired' ? serving.id : base.id);
      await expect(again).rejects.toMatchObject({ code: 'gate.blocked' });
      expect(await registry.get(p, id)).toMatchObject({ state });
      expect((await registry.production(p, 'a')).id).toBe(serving.id);
    },
  );

  it('rolls back to the version before, and from there on to what that one replaced', async () => {
    const p = await project();
    const base = await registry.production(p, 'a');
    const first = await promoted(p, 'x');
    const second = await promoted(p, 'y');
    expect((await registry.rollback(p, 'a', 'test', 'worse')).id).toBe(first);
    expect(await registry.get(p, second)).toMatchObject({ state: 'rolled_back' });
    expect((await registry.production(p, 'a')).id).toBe(first);
    expect((await registry.rollback(p, 'a', 'test', 'worse')).id).toBe(base.id);
    await expect(registry.rollback(p, 'a', 'test', 'worse')).rejects.toMatchObject({
      code: 'resource.conflict',
    });
    expect((await registry.production(p, 'a')).id).toBe(base.id);
  });

  it('audits every move with its reason', async () => {
    const p = await project();
    await promoted(p, 'x');
    await registry.rollback(p, 'a', 'ann', 'too slow');
    const moves = (await registry.events(p, 'a')).map(
      (event) => `${event.fromState} → ${event.toState}: ${event.reason}`,
    );
    expect(moves).toContain('production → rolled_back: too slow');
    expect(moves).toContain('candidate → gated: because');
    expect(moves).toContain('gated → production: because');
    expect(moves).toHaveLength(6);
  });
});
