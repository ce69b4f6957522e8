import { DEFAULT_GATE_POLICY, DEMO_BASE, DEMO_GOOD, DEMO_SIZES, Gates, simulateEvidence } from '#loop/gates';
import { Registry } from '#loop/registry';
import { startInProcess } from '../../../test/support/ratchet.js';
import { removeTempDirs } from '../../../test/support/temp-dir.js';
import { Agents } from './agents.js';

const PROJECT = 'default';
const AGENT = 'workplace-assistant';

let started: Awaited<ReturnType<typeof startInProcess>>;

beforeAll(async () => {
  started = await startInProcess({ RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off' });
}, 60_000);

afterAll(async () => {
  await started.stop();
  removeTempDirs();
});

/** A version in production whose gate report says this rate of success. */
async function promoted(name: string, success: number): Promise<string> {
  const registry = started.app.get(Registry);
  const production = await registry.production(PROJECT, AGENT);
  const { id } = await registry.addCandidate({
    projectId: PROJECT,
    agent: AGENT,
    policyName: name,
    agentRef: production.agentRef,
    agentRefDigest: name,
    parentId: production.id,
    runId: 'run',
    cycleId: name,
    adapterDir: `/adapters/${name}`,
    admission: { ok: true, problems: [], name, digest: name.padEnd(12, '0'), rank: 16, deltaNorm: 1 },
  });
  const truth = { seed: 1, sizes: DEMO_SIZES, baseline: DEMO_BASE, groupSpread: 0 };
  await started.app.get(Gates).decide({
    id: `gate-${name}`,
    projectId: PROJECT,
    agent: AGENT,
    candidateId: id,
    cycleId: null,
    evidence: simulateEvidence({ ...truth, candidate: { ...DEMO_GOOD, success } }),
    policy: DEFAULT_GATE_POLICY,
  });
  const move = { projectId: PROJECT, candidateId: id, actor: 'test', reason: 'a test' };
  await registry.recordVerdict(move, 'gated', `gate-${name}`);
  await registry.promote(move, production.id);
  return id;
}

describe('the anchor', () => {
  it('is the best version ever promoted, not the one that serves: small losses do not add up over turns', async () => {
    const { app } = started;
    const registry = app.get(Registry);
    const anchor = async () => (await app.get(Agents).anchor(await registry.production(PROJECT, AGENT))).id;
    expect(await anchor()).toBe((await registry.production(PROJECT, AGENT)).id);
    const best = await promoted('best', 0.9);
    expect(await anchor()).toBe(best);
    const worse = await promoted('worse', 0.75);
    expect((await registry.production(PROJECT, AGENT)).id).toBe(worse);
    expect(await anchor()).toBe(best);
    await registry.rollback(PROJECT, AGENT, 'test', 'back to the best');
    const bad = await promoted('rolled-back', 0.97);
    await registry.rollback(PROJECT, AGENT, 'test', 'turned out bad');
    expect(bad).not.toBe(await anchor());
    expect(await anchor()).toBe(best);
  });
});
