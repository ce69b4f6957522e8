import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { EnvironmentFacts } from '#loop/evals';
import { Answers, decodeCursor, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import type { AdmissionReport } from './domain/admission.js';
import { EnvironmentCatalog } from './environment-catalog.js';
import type { EnvironmentVersion } from './environments.repository.js';
import {
  EnvironmentFactsForm,
  EnvironmentVersionForm,
  EnvironmentVersionPage,
  VerifierAdmission,
} from './answers.js';

export { GymController } from './gym.controller.js';

const Id = z.string().min(1);
const ListQuery = PageQuery.extend({ agent: Id.optional() });
type ListQuery = z.infer<typeof ListQuery>;
/** Environments that are programs come with the app; over HTTP one is made of an agent's accepted eval cases. */
const MakeBody = z.strictObject({ kind: z.literal('next-action').default('next-action'), agent: Id });
type MakeBody = z.infer<typeof MakeBody>;

@Controller('api/v1/environments')
export class EnvironmentsController {
  constructor(private readonly catalog: EnvironmentCatalog) {}

  @Get()
  @Answers(200, EnvironmentVersionPage)
  async list(
    @ProjectId() projectId: string,
    @Query({ schema: ListQuery }) query: ListQuery,
  ): Promise<Page<EnvironmentVersion>> {
    const key = query.cursor === undefined ? null : decodeCursor(query.cursor, 2);
    const before = key === null ? null : { id: String(key[0]), agent: String(key[1]) };
    const agent = query.agent === undefined ? {} : { agent: query.agent };
    const rows = await this.catalog.list(projectId, { ...agent, limit: query.limit + 1, before });
    return pageOf(rows, query.limit, (row) => [row.id, row.agent]);
  }

  @Post()
  @HttpCode(201)
  @Answers(201, EnvironmentFactsForm)
  make(
    @ProjectId() projectId: string,
    @Body({ schema: MakeBody }) body: MakeBody,
  ): Promise<EnvironmentFacts> {
    return this.catalog.registerNextAction(projectId, body.agent);
  }

  @Get(':id')
  @Answers(200, EnvironmentVersionForm)
  get(@ProjectId() projectId: string, @Param('id', { schema: Id }) id: string): Promise<EnvironmentVersion> {
    return this.catalog.get(projectId, id);
  }

  /** Body: the hand-scored file of a verifier. */
  @Post(':id/admissions')
  @HttpCode(200)
  @Answers(200, VerifierAdmission)
  admit(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Body() file: unknown,
  ): Promise<AdmissionReport> {
    return this.catalog.admit(projectId, id, file);
  }
}
