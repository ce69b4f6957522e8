import { Injectable } from '@nestjs/common';
import type { EnvironmentTask } from '#contracts/environment';
import { EnvironmentCatalog, GymTokens } from '#loop/environments';
import { PolicyFleet } from '#loop/serving';
import { mixTasks } from '#loop/training';
import { AppAddress } from './settings.js';
import type { StageContext } from './stage.js';

/** A run may take this long; its token for the environment ends with it. */
const TOKEN_MS = 6 * 60 * 60_000;

const VALIDATION = { split: 'validation' as const };
/** Of the validation tasks: traffic alone holds so few risky ones that the choice of a checkpoint would not see safety. */
const RISKY_SHARE = 1 / 3;

/** Where a run finds its tasks, its environment and its base. */
@Injectable()
export class TrainingPlaces {
  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly tokens: GymTokens,
    private readonly fleet: PolicyFleet,
    private readonly address: AppAddress,
  ) {}

  async tasks(
    { cycle, recipe }: StageContext,
    environmentId: string,
    failedSlices: string[],
  ): Promise<{ train: EnvironmentTask[]; validation: EnvironmentTask[] }> {
    const { projectId, seed } = cycle;
    const count = recipe.mix.tasks;
    const watched = Math.round(recipe.validation.tasks * RISKY_SHARE);
    const draw = (query: Parameters<EnvironmentCatalog['publish']>[2]): Promise<EnvironmentTask[]> =>
      this.catalog.publish(projectId, environmentId, query);
    const failed = await draw({ split: 'train', count, seed, slices: failedSlices });
    const traffic = await draw({ split: 'train', count, seed: seed + 1, suite: 'traffic' });
    const risky = await draw({ split: 'train', count, seed: seed + 4, suite: 'risky' });
    const ordinary = await draw({
      ...VALIDATION,
      count: recipe.validation.tasks - watched,
      seed: seed + 2,
      suite: 'traffic',
    });
    const dangerous = await draw({ ...VALIDATION, count: watched, seed: seed + 3, suite: 'risky' });
    const validation = [...ordinary, ...dangerous];
    return { train: mixTasks({ failed, risky, traffic }, recipe.mix, seed), validation };
  }

  async of({ cycle, recipe }: StageContext, environmentId: string) {
    const { card, policyDir } = this.fleet;
    const scope = {
      projectId: cycle.projectId,
      environmentId,
      splits: ['train' as const, 'validation' as const],
      verifier: recipe.verifier,
    };
    const { tools, maxTurns } = await this.catalog.definition(cycle.projectId, environmentId);
    return {
      base: { path: policyDir, revision: card.revision },
      environment: {
        baseUrl: `${this.address.baseUrl}/environments/${environmentId}/gym`,
        token: this.tokens.issue(scope, TOKEN_MS),
        toolsJson: JSON.stringify(tools),
        maxTurns,
      },
      servingTemperature: card.decoding.temperature,
    };
  }
}
