import { join } from 'node:path';
import type { Cycle } from '#contracts/cycle';
import { Registry } from '#loop/registry';
import { Deployments, PolicyFleet } from '#loop/serving';
import { writeAdapter } from '../../../../test/support/adapter.js';
import { startInProcess } from '../../../../test/support/ratchet.js';
import { testRecipe } from '../../../../test/support/recipe.js';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import type { StageContext } from '../stage.js';
import { AdmissionStage } from './admission.stage.js';
import { PromotionStage } from './promotion.stage.js';

type App = Awaited<ReturnType<typeof startInProcess>>;

const PROJECT = 'default';
const AGENT = 'workplace-assistant';
/** More than the embedded policy server holds at once. */
const TURNS = 7;

let started: App;

beforeAll(async () => {
  started = await startInProcess({ RATCHET_DEMO: 'off', RATCHET_TRAIN: 'off' });
}, 60_000);

afterAll(async () => {
  await started.stop();
  removeTempDirs();
});

/** What a turn knows after its training. */
async function trainedTurn(number: number): Promise<{ context: StageContext; policyOf: () => string }> {
  const { app } = started;
  const recipe = testRecipe();
  const { name, revision } = app.get(PolicyFleet).card;
  const { rank, alpha } = recipe.lora;
  const adapterDir = writeAdapter(join(tempDir(), 'adapter'), {
    base: { name, revision },
    rank,
    alpha,
    value: number,
  });
  const production = await app.get(Registry).production(PROJECT, AGENT);
  const known: Record<string, unknown> = {
    training: { runId: `run-${number}`, adapterDir },
    baseline: { productionId: production.id, policy: production.policyName },
    buckets: { buckets: [] },
  };
  const context = {
    cycle: { id: `cycle-${number}`, projectId: PROJECT, agent: AGENT, seed: number } as Cycle,
    recipe,
    evidence: (of: string) => known[of],
  } as unknown as StageContext;
  const admitted = await app.get(AdmissionStage).run(context);
  known['admission'] = admitted.evidence;
  return { context, policyOf: () => (admitted.evidence as { policy: string }).policy };
}

describe('admission', () => {
  it('loads the candidate of every turn, however many turns came before: what no longer serves makes room', async () => {
    const { app } = started;
    for (let number = 1; number <= TURNS; number++) {
      const { context, policyOf } = await trainedTurn(number);
      const { candidateId } = context.evidence<{ candidateId: string }>('admission');
      const move = { projectId: PROJECT, candidateId, actor: 'gate', reason: 'every check passed' };
      // Every third turn is blocked, every third is rolled back after its promotion, the rest serve on.
      await app.get(Registry).recordVerdict(move, number % 3 === 0 ? 'blocked' : 'gated', `gate-${number}`);
      if (number % 3 === 0) continue;
      await app.get(PromotionStage).run(context);
      expect(app.get(Deployments).routeOf(PROJECT, AGENT).policy).toBe(policyOf());
      if (number % 3 === 1) await app.get(Deployments).rollback(PROJECT, AGENT, 'a test');
    }
  }, 120_000);
});
