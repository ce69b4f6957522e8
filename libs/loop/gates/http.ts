import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Answers, beforeOf, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import type { StoredGateReport } from './gates.repository.js';
import { Gates } from './gates.service.js';
import { GateReportForm, GateReportPage } from './answers.js';

@Controller('api/v1/gate-reports')
export class GatesController {
  constructor(private readonly gates: Gates) {}

  @Get()
  @Answers(200, GateReportPage)
  async list(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<StoredGateReport>> {
    const rows = await this.gates.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Get(':id')
  @Answers(200, GateReportForm)
  get(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string().min(1) }) id: string,
  ): Promise<StoredGateReport> {
    return this.gates.get(projectId, id);
  }
}
