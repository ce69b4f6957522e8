import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { Answers, beforeOf, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import { Registry } from './registry.service.js';
import type { Candidate, RegistryEvent } from './registry.repository.js';
import { CandidateForm, CandidatePage, RegistryEventPage } from './answers.js';

@Controller('api/v1')
export class RegistryController {
  constructor(private readonly registry: Registry) {}

  @Get('candidates')
  @Answers(200, CandidatePage)
  async candidates(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Candidate>> {
    const rows = await this.registry.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Get('candidates/:id')
  @Answers(200, CandidateForm)
  candidate(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string() }) id: string,
  ): Promise<Candidate> {
    return this.registry.get(projectId, id);
  }

  /** Adapters are the candidates that hold one. */
  @Get('adapters')
  @Answers(200, CandidatePage)
  async adapters(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Candidate>> {
    const page = { limit: query.limit + 1, before: beforeOf(query), kind: 'adapter' as const };
    return pageOf(await this.registry.list(projectId, page), query.limit, (row) => [row.id]);
  }

  @Get('agents/:agent/history')
  @Answers(200, RegistryEventPage)
  async history(
    @ProjectId() projectId: string,
    @Param('agent', { schema: z.string() }) agent: string,
  ): Promise<Page<RegistryEvent>> {
    return { items: await this.registry.events(projectId, agent), nextCursor: null };
  }
}
