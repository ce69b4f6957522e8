import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { TrainerEvent } from '#contracts/training-job';
import {
  Answers,
  beforeOf,
  decodeCursor,
  encodeCursor,
  pageOf,
  PageQuery,
  ProjectId,
  type Page,
} from '#platform/web';
import type { TrainingRun } from './training.repository.js';
import { Training } from './training.service.js';
import { TrainerEventPage, TrainingRunForm, TrainingRunPage } from './answers.js';

const Id = z.string().min(1);
const EventsQuery = PageQuery.extend({ limit: z.coerce.number().int().min(1).max(2000).default(500) });

@Controller('api/v1/training-runs')
export class TrainingController {
  constructor(private readonly training: Training) {}

  @Get()
  @Answers(200, TrainingRunPage)
  async list(
    @ProjectId() projectId: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<TrainingRun>> {
    const rows = await this.training.list(projectId, { limit: query.limit + 1, before: beforeOf(query) });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }

  @Get(':id')
  @Answers(200, TrainingRunForm)
  get(@ProjectId() projectId: string, @Param('id', { schema: Id }) id: string): Promise<TrainingRun> {
    return this.training.get(projectId, id);
  }

  /** Curves of the newest attempt, live: pass the last `nextCursor` to get what came since. */
  @Get(':id/events')
  @Answers(200, TrainerEventPage)
  async events(
    @ProjectId() projectId: string,
    @Param('id', { schema: Id }) id: string,
    @Query({ schema: EventsQuery }) query: z.infer<typeof EventsQuery>,
  ): Promise<Page<TrainerEvent>> {
    const after = query.cursor === undefined ? 0 : Number(decodeCursor(query.cursor, 1)[0]);
    const rows = await this.training.events(projectId, id, after, query.limit);
    const last = rows.at(-1)?.seq ?? after;
    return { items: rows.map((row) => row.event), nextCursor: encodeCursor([last]) };
  }
}
