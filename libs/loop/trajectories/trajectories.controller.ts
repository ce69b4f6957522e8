import { Controller, Get, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Failure } from '#contracts/failure';
import type { Step, Trajectory } from '#contracts/trajectory';
import { AppError } from '#kernel/errors';
import { Answers, decodeCursor, pageOf, PageQuery, ProjectId, type Page } from '#platform/web';
import { StepPage, TrajectoryDetailForm, TrajectorySummaryPage } from './answers.js';
import type { Feedback } from './domain/feedback.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { listQueryOf, TrajectoryFilters } from './trajectory-filters.js';
import { messageCountOf, type TrajectorySummary } from './trajectory-rows.js';
import { Trajectories } from './trajectories.service.js';
import { TrajectoryAnnotations } from './trajectory-annotations.js';

const FIRST_STEPS = 1_000;

const ListTrajectories = PageQuery.extend(TrajectoryFilters.shape);

export type TrajectoryListItem = TrajectorySummary & { startedAt: string };

export interface TrajectoryDetail extends Omit<Trajectory, 'steps'> {
  messageCount: number;
  stepCount: number;
  triage: { state: 'pending' | 'done' | 'failed' };
  /** The first 1,000; the rest by pages. */
  steps: Step[];
  failures: Failure[];
  /** As stored now, in the order in which it was observed. */
  feedback: Omit<Feedback, 'receivedSeq'>[];
}

@Controller('api/v1/trajectories')
export class TrajectoriesController {
  constructor(
    private readonly trajectories: Trajectories,
    private readonly annotations: TrajectoryAnnotations,
    private readonly feedback: FeedbackService,
  ) {}

  /** Newest first. */
  @Get()
  @Answers(200, TrajectorySummaryPage)
  async list(
    @ProjectId() projectId: string,
    @Query({ schema: ListTrajectories }) query: z.output<typeof ListTrajectories>,
  ): Promise<Page<TrajectoryListItem>> {
    const page = await this.trajectories.list({
      ...(await listQueryOf(projectId, query, this.annotations)),
      cursor: query.cursor,
      limit: query.limit,
    });
    return { ...page, items: page.items.map((item) => ({ ...item, startedAt: isoOf(item.startedAtNs) })) };
  }

  @Get(':id')
  @Answers(200, TrajectoryDetailForm)
  async get(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string() }) id: string,
  ): Promise<TrajectoryDetail> {
    const trajectory = await this.trajectories.get(projectId, id);
    const { state, failures } = await this.annotations.of(projectId, id);
    return {
      ...trajectory,
      messageCount: messageCountOf(trajectory),
      stepCount: trajectory.steps.length,
      triage: { state },
      steps: trajectory.steps.slice(0, FIRST_STEPS),
      failures,
      feedback: await this.feedback.of(projectId, trajectory),
    };
  }

  @Get(':id/steps')
  @Answers(200, StepPage)
  async steps(
    @ProjectId() projectId: string,
    @Param('id', { schema: z.string() }) id: string,
    @Query({ schema: PageQuery }) query: PageQuery,
  ): Promise<Page<Step>> {
    const after = query.cursor === undefined ? -1 : Number(decodeCursor(query.cursor, 1)[0]);
    if (!Number.isSafeInteger(after))
      throw new AppError('request.invalid', {
        public: 'The cursor is not of this list; start again without it.',
      });
    const { steps } = await this.trajectories.get(projectId, id);
    return pageOf(steps.slice(after + 1, after + 2 + query.limit), query.limit, (step) => [step.index]);
  }
}

function isoOf(ns: string): string {
  return new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
}
