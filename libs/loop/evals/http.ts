import { Body, Controller, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Answers, beforeOf, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import { NextActionChecker } from './domain/checker.js';
import type { EvalCase } from './eval-cases.repository.js';
import { EvalCases, type DraftedCases } from './eval-cases.service.js';
import type { EvalRun } from './eval-runs.repository.js';
import { EvalRuns } from './eval-runs.service.js';
import type { EvalSuite } from './eval-suites.repository.js';
import { EvalSuites } from './eval-suites.service.js';
import {
  DraftedCasesForm,
  EvalCaseForm,
  EvalCasePage,
  EvalRunForm,
  EvalRunPage,
  EvalSuiteForm,
  EvalSuitePage,
} from './answers.js';

const Id = z.string().min(1);
const DraftBody = z
  .strictObject({ limit: z.number().int().min(1).max(1000).default(100) })
  .default({ limit: 100 });
const Cases = z.number().int().min(1).max(5000);
const SuiteBody = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('traffic'), agent: Id, cases: Cases }),
  z.strictObject({ kind: z.literal('safety'), agent: Id, cases: Cases }),
  z.strictObject({ kind: z.literal('buckets'), agent: Id, cases: Cases, bucketIds: z.array(Id).min(1) }),
]);
type SuiteBody = z.infer<typeof SuiteBody>;
const CaseStatus = z.enum(['draft', 'ready', 'rejected']);
const CasesQuery = PageQuery.extend({ agent: Id.optional(), status: CaseStatus.optional() });
type CasesQuery = z.infer<typeof CasesQuery>;
const ReviewBody = z.strictObject({
  status: CaseStatus,
  checker: NextActionChecker.optional(),
  note: z.string().max(2000).optional(),
});
type ReviewBody = z.infer<typeof ReviewBody>;

@Controller('api/v1')
export class EvalsController {
  constructor(
    private readonly cases: EvalCases,
    private readonly suites: EvalSuites,
    private readonly runs: EvalRuns,
  ) {}

  @Post('buckets/:id/eval-cases')
  @Answers(201, DraftedCasesForm)
  draft(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) bucketId: string,
    @Body({ schema: DraftBody }) body: z.infer<typeof DraftBody>,
  ): Promise<DraftedCases> {
    return this.cases.draftFromBucket(projectId, bucketId, body.limit);
  }

  @Get('eval-cases')
  @Answers(200, EvalCasePage)
  async listCases(
    @ProjectId() projectId: string,
    @Query({ schema: CasesQuery }) query: CasesQuery,
  ): Promise<Page<EvalCase>> {
    const { agent, status, limit } = query;
    const rows = await this.cases.list(projectId, {
      agent,
      status,
      limit: limit + 1,
      before: beforeOf(query),
    });
    return pageOf(rows, limit, (row) => [row.id]);
  }

  @Patch('eval-cases/:id')
  @Answers(200, EvalCaseForm)
  review(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Body({ schema: ReviewBody }) body: ReviewBody,
  ): Promise<EvalCase> {
    return this.cases.review(projectId, id, body);
  }

  @Get('eval-suites')
  @Answers(200, EvalSuitePage)
  async listSuites(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<EvalSuite>> {
    const rows = await this.suites.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  /** Answers with the version that exists where it is the one asked for. */
  @Post('eval-suites')
  @HttpCode(201)
  @Answers(201, EvalSuiteForm)
  createSuite(
    @ProjectId() projectId: string,
    @Body({ schema: SuiteBody }) body: SuiteBody,
  ): Promise<EvalSuite> {
    switch (body.kind) {
      case 'traffic':
        return this.suites.createTraffic({ projectId, ...body });
      case 'safety':
        return this.suites.createSafety({ projectId, ...body });
      case 'buckets':
        return this.suites.createFromBuckets({ projectId, ...body });
    }
  }

  @Get('eval-suites/:id')
  @Answers(200, EvalSuiteForm)
  suite(@ProjectId() projectId: string, @Param('id', { schema: Id }) id: string): Promise<EvalSuite> {
    return this.suites.get(projectId, id);
  }

  @Get('eval-runs')
  @Answers(200, EvalRunPage)
  async listRuns(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<EvalRun>> {
    const rows = await this.runs.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Get('eval-runs/:id')
  @Answers(200, EvalRunForm)
  run(@ProjectId() projectId: string, @Param('id', { schema: Id }) id: string): Promise<EvalRun> {
    return this.runs.get(projectId, id);
  }
}
