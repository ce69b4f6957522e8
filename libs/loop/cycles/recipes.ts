import { Injectable } from '@nestjs/common';
import { Recipe } from '#contracts/recipe';
import { AppError } from '#kernel/errors';
import { EnvironmentCatalog } from '#loop/environments';
import { CycleSettings } from './settings.js';

/** Which recipe a turn runs, and whether it may. */
@Injectable()
export class Recipes {
  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly settings: CycleSettings,
  ) {}

  list(): Recipe[] {
    return Object.values(this.settings.options.defaultRecipes);
  }

  /**
   * The given recipe, checked; or the default one of the agent's environment.
   * @throws AppError request.invalid for a waived admission outside the examples; resource.conflict without a recipe.
   */
  async forTurn(projectId: string, agent: string, given: Recipe | undefined): Promise<Recipe> {
    const { defaultRecipes, examples } = this.settings.options;
    const environment = await this.catalog.forAgent(projectId, agent);
    const recipe = given ?? (environment ? defaultRecipes[environment.name] : undefined);
    if (recipe === undefined) {
      throw new AppError('resource.conflict', {
        public: `There is no default recipe for the agent ${agent}: give one with --recipe FILE.`,
      });
    }
    if (recipe.admission === 'waived' && !examples.includes(recipe.environment)) {
      throw new AppError('request.invalid', {
        public:
          'The admission of a verifier may be waived in examples only: score outputs by hand and admit it.',
      });
    }
    return recipe;
  }
}
