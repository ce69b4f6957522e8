import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { Answers, ProjectId } from '#platform/web';
import { isObject } from '../../domain/json.js';
import { FeedbackService } from '../../feedback/feedback.service.js';
import { MAX_OTLP_BYTES, readBody } from '../body.js';
import { IngestionVerdictForm, ScoreTaken } from './answers.js';
import { LangfuseIntake, type IngestionVerdict } from './langfuse-intake.js';
import { feedbackOf, ScoreBody } from './scores.js';

export const LANGFUSE_INGESTION_PATH = 'api/public/ingestion';

/** What Langfuse's clients write, apart from OpenTelemetry. */
@Controller()
export class LangfuseController {
  constructor(
    private readonly intake: LangfuseIntake,
    private readonly feedback: FeedbackService,
    private readonly clock: Clock,
  ) {}

  /** A verdict on each event; a failure of the store is one of the request, so that the client sends it again. */
  @Post(LANGFUSE_INGESTION_PATH)
  @HttpCode(207)
  @Answers(207, IngestionVerdictForm)
  async ingest(@ProjectId() projectId: string, @Req() request: Request): Promise<IngestionVerdict> {
    const gzip = /^(x-)?gzip$/i.test(request.headers['content-encoding'] ?? '');
    const body = parse(await readBody(request, { gzip, maxBytes: MAX_OTLP_BYTES }));
    if (!isObject(body) || !Array.isArray(body['batch']))
      throw new AppError('request.invalid', { public: 'The body must be an object with a list `batch`.' });
    return this.intake.accept(projectId, body['batch']);
  }

  @Post('api/public/scores')
  @HttpCode(200)
  @Answers(200, ScoreTaken)
  async score(
    @ProjectId() projectId: string,
    @Body({ schema: ScoreBody }) body: ScoreBody,
  ): Promise<{ id: string }> {
    const item = feedbackOf(body, {
      id: contentHash(['langfuse score', body]),
      timestampNs: this.clock.nowNs(),
    });
    if ('problem' in item) throw new AppError('request.invalid', { public: `${item.problem}.` });
    await this.feedback.add(projectId, [item]);
    return { id: item.id };
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new AppError('request.invalid', { public: 'The body is not JSON. Do not send it again as it is.' });
  }
}
