import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '#kernel/clock';
import { TrainerProvider } from '#loop/cycles';
import { Trajectories, type OutcomePoint } from '#loop/trajectories';
import { Answers, ProjectId, type Page } from '#platform/web';
import { OutcomePointPage, ProjectPage, TrainingEnvironment } from './answers.js';

const MINUTE_MS = 60_000;
const OutcomesQuery = z.strictObject({
  agent: z.string().min(1),
  minutes: z.coerce.number().int().min(1).max(1440).default(60),
  stepSeconds: z.coerce.number().int().min(5).max(3600).default(30),
});

/** Reads of the page that belong to no single resource. */
@Controller('api/v1')
export class ViewsController {
  constructor(
    private readonly trajectories: Trajectories,
    private readonly trainers: TrainerProvider,
    private readonly clock: Clock,
  ) {}

  /** Outcomes of an agent over time, by the policy that served. */
  @Get('outcomes')
  @Answers(200, OutcomePointPage)
  async outcomes(
    @ProjectId() projectId: string,
    @Query({ schema: OutcomesQuery }) query: z.infer<typeof OutcomesQuery>,
  ): Promise<Page<OutcomePoint>> {
    const sinceMs = this.clock.nowMs() - query.minutes * MINUTE_MS;
    const points = { projectId, agent: query.agent, sinceMs, bucketMs: query.stepSeconds * 1000 };
    return { items: await this.trajectories.successRate(points), nextCursor: null };
  }

  @Get('projects')
  @Answers(200, ProjectPage)
  async projects(): Promise<z.infer<typeof ProjectPage>> {
    return { items: await this.trajectories.projects(), nextCursor: null };
  }

  /** Whether training can run here, and how far its Python environment is. */
  @Get('training-environment')
  @Answers(200, TrainingEnvironment)
  trainingEnvironment(): z.infer<typeof TrainingEnvironment> {
    return this.trainers.progress;
  }
}
