import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import { decodeCursor, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import { Registry } from './registry.service.js';
import type { Candidate, RegistryEvent } from './registry.repository.js';

@Controller('api/v1')
export class RegistryController {
  constructor(private readonly registry: Registry) {}

  @Get('candidates')
  async candidates(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Candidate>> {
    const before = query.cursor === undefined ? null : String(decodeCursor(query.cursor, 1)[0]);
    const rows = await this.registry.list(projectId, { limit: query.limit + 1, before });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Get('candidates/:id')
  candidate(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string() }) id: string,
  ): Promise<Candidate> {
    return this.registry.get(projectId, id);
  }

  /** Adapters are the candidates that hold one. */
  @Get('adapters')
  async adapters(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Candidate>> {
    const page = await this.candidates(projectId, query);
    return { ...page, items: page.items.filter((candidate) => candidate.kind === 'adapter') };
  }

  @Get('agents/:agent/history')
  async history(
    @ProjectId() projectId: string,
    @Param('agent', { schema: z.string() }) agent: string,
  ): Promise<Page<RegistryEvent>> {
    return { items: await this.registry.events(projectId, agent), nextCursor: null };
  }
}
