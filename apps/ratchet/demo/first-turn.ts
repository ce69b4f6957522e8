import { Injectable } from '@nestjs/common';
import { Cycles, Recipes, TrainerProvider } from '#loop/cycles';
import { Triage } from '#loop/triage';
import { DEMO_AGENT, DEMO_PROJECT } from './names.js';

/** Prepares training in the background once a bucket stands, and queues the demo's first turn once. */
@Injectable()
export class FirstTurn {
  private preparing = false;

  constructor(
    private readonly triage: Triage,
    private readonly cycles: Cycles,
    private readonly recipes: Recipes,
    private readonly trainers: TrainerProvider,
  ) {}

  async look(enough: number): Promise<{ buckets: number; firstBucket: string | null; started: boolean }> {
    const buckets = await this.triage.openBuckets(DEMO_PROJECT, DEMO_AGENT);
    const found = { buckets: buckets.length, firstBucket: buckets[0]?.name ?? null };
    if (buckets.length === 0 || !this.trainers.enabled) return { ...found, started: false };
    this.prepareInBackground();
    const failures = buckets.reduce((sum, bucket) => sum + bucket.failures, 0);
    if (failures < enough) return { ...found, started: false };
    const recipe = await this.recipes.forTurn(DEMO_PROJECT, DEMO_AGENT, undefined);
    const key = 'demo-first-turn';
    await this.cycles.start({
      projectId: DEMO_PROJECT,
      agent: DEMO_AGENT,
      recipe,
      trigger: 'demo',
      seed: null,
      idempotencyKey: key,
    });
    return { ...found, started: true };
  }

  private prepareInBackground(): void {
    if (this.preparing) return;
    this.preparing = true;
    // A failure is kept as the environment's state, shown on the page, and met again by the turn that needs it.
    this.trainers.prepare(() => undefined).catch(() => undefined);
  }
}
