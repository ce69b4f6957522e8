import { Injectable } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { EnvironmentCatalog } from '../environment-catalog.js';
import { GymTokens, type GymScope } from './gym-tokens.js';

/** Where a trainer finds its environment. */
export interface GymAccess {
  /** Path of the resources server below the app's URL, without a trailing slash. */
  path: string;
  /** Bearer token. */
  token: string;
  /** OpenAI function tools, as a JSON string. */
  toolsJson: string;
  maxTurns: number;
}

/** Hands out access to environments for training. */
@Injectable()
export class GymDesk {
  constructor(
    private readonly catalog: EnvironmentCatalog,
    private readonly tokens: GymTokens,
  ) {}

  /**
   * Access to the published tasks of the splits, judged by one verifier.
   * @throws AppError `request.invalid` for a verifier that the environment lacks, or splits on both sides of the seal.
   */
  async open(scope: GymScope, ttlMs: number): Promise<GymAccess> {
    const definition = await this.catalog.definition(scope.projectId, scope.environmentId);
    if (!Object.hasOwn(definition.verifiers, scope.verifier)) {
      throw new AppError('request.invalid', {
        public: `The environment ${definition.name} has no verifier ${scope.verifier}.`,
      });
    }
    return {
      path: `/environments/${scope.environmentId}/gym`,
      token: this.tokens.issue(scope, ttlMs),
      toolsJson: JSON.stringify(definition.tools),
      maxTurns: definition.maxTurns,
    };
  }
}
