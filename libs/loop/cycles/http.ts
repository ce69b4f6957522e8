import { Body, Controller, Get, Headers, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Cycle } from '#contracts/cycle';
import { Recipe } from '#contracts/recipe';
import { Gates, type StoredGateReport } from '#loop/gates';
import { DefaultAgent } from '#loop/serving';
import { Answers, beforeOf, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import { Cycles } from './cycles.service.js';
import { Recipes } from './recipes.js';
import { LoopStats, type Stats } from './stats.service.js';
import { CycleDetail, CycleForm, CyclePage, RecipePage, StatsForm } from './answers.js';

const NewCycleBody = z.strictObject({
  agent: z.string().min(1).optional(),
  recipe: Recipe.optional(),
  seed: z.number().int().min(0).max(2_147_483_647).optional(),
});

@Controller('api/v1/cycles')
export class CyclesController {
  constructor(
    private readonly cycles: Cycles,
    private readonly recipes: Recipes,
    private readonly gates: Gates,
    private readonly defaultAgent: DefaultAgent,
  ) {}

  /** Turns the loop once now. */
  @Post()
  @Answers(201, CycleForm)
  async start(
    @ProjectId() projectId: string,
    @Body({ schema: NewCycleBody }) body: z.infer<typeof NewCycleBody>,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
  ): Promise<Cycle> {
    const agent = body.agent ?? this.defaultAgent.of('default');
    const recipe = await this.recipes.forTurn(projectId, agent, body.recipe);
    return this.cycles.start({
      projectId,
      agent,
      recipe,
      trigger: 'manual',
      seed: body.seed ?? null,
      idempotencyKey: idempotencyKey ?? null,
    });
  }

  @Get()
  @Answers(200, CyclePage)
  async list(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Cycle>> {
    const rows = await this.cycles.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  /** Every stage, its evidence, the gate report and the verdict. */
  @Get(':id')
  @Answers(200, CycleDetail)
  async get(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string().min(1) }) id: string,
  ): Promise<Cycle & { gateReport: StoredGateReport | null }> {
    const cycle = await this.cycles.get(projectId, id);
    const gateReport =
      cycle.gateReportId === null ? null : await this.gates.get(projectId, cycle.gateReportId);
    return { ...cycle, gateReport };
  }
}

@Controller('api/v1/recipes')
export class RecipesController {
  constructor(private readonly recipes: Recipes) {}

  @Get()
  @Answers(200, RecipePage)
  list(): Page<Recipe> {
    return { items: this.recipes.list(), nextCursor: null };
  }
}

@Controller('api/v1/stats')
export class StatsController {
  constructor(private readonly stats: LoopStats) {}

  /** As stored and queryable now. */
  @Get()
  @Answers(200, StatsForm)
  get(@ProjectId() projectId: string): Promise<Stats> {
    return this.stats.of(projectId);
  }
}
