import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { AppError } from '#kernel/errors';
import { Answers, AnswersProblem, ProjectId } from '#platform/web';
import { FeedbackService } from '../../feedback/feedback.service.js';
import {
  LangfuseHealth,
  LangfuseProjects,
  LangfusePrompts,
  LangfuseScore,
  LangfuseScores,
} from './answers.js';
import { scoreOf, traceIdOf } from './scores.js';

/** Langfuse's server version whose public API is answered. */
const API_VERSION = '3.0.0';

/** Parameters that other versions of a client add are let through: a client's start must not fail over a filter. */
const Pages = z.looseObject({
  page: z.coerce.number().int().min(1).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  name: z.string().optional(),
  traceId: z.string().optional(),
});
type Pages = z.output<typeof Pages>;

/** What Langfuse's clients read when they start, and the scores. Its prompts are not kept here: clients use their fallback. */
@Controller('api/public')
export class LangfuseReadsController {
  constructor(private readonly feedback: FeedbackService) {}

  @Get('health')
  @Answers(200, LangfuseHealth)
  health(): z.output<typeof LangfuseHealth> {
    return { status: 'OK', version: API_VERSION };
  }

  /** The one project that the key opens: how clients check their keys. */
  @Get('projects')
  @Answers(200, LangfuseProjects)
  projects(@ProjectId() projectId: string): z.output<typeof LangfuseProjects> {
    const organization = { id: 'ratchet', name: 'Ratchet' };
    return { data: [{ id: projectId, name: projectId, organization, metadata: {} }] };
  }

  @Get('v2/prompts')
  @Answers(200, LangfusePrompts)
  prompts(@Query({ schema: Pages }) { page, limit }: Pages): z.output<typeof LangfusePrompts> {
    return { data: [], meta: { page, limit, totalItems: 0, totalPages: 0 } };
  }

  @Get('v2/prompts/:name')
  @AnswersProblem(404)
  prompt(@Param('name', { schema: z.string() }) name: string): never {
    throw new AppError('resource.not_found', {
      public: `There is no prompt ${name}: prompts are not kept here.`,
    });
  }

  @Get(['scores', 'v2/scores'])
  @Answers(200, LangfuseScores)
  async scores(
    @ProjectId() projectId: string,
    @Query({ schema: Pages }) query: Pages,
  ): Promise<z.output<typeof LangfuseScores>> {
    const { page, limit, name, traceId } = query;
    const found = await this.feedback.page({
      projectId,
      name,
      page,
      limit,
      traceId: traceId === undefined ? undefined : traceIdOf(traceId),
    });
    const meta = { page, limit, totalItems: found.total, totalPages: Math.ceil(found.total / limit) };
    return { data: found.items.map((item) => scoreOf(projectId, item)), meta };
  }

  @Get(['scores/:id', 'v2/scores/:id'])
  @Answers(200, LangfuseScore)
  async score(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string() }) id: string,
  ): Promise<Record<string, unknown>> {
    const [item] = (await this.feedback.page({ projectId, id, page: 1, limit: 1 })).items;
    if (item === undefined)
      throw new AppError('resource.not_found', { public: `There is no score ${id} in this project.` });
    return scoreOf(projectId, item);
  }
}
