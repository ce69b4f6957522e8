import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { Clock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';
import { Answers, ProjectId } from '#platform/web';
import { isObject } from '../../domain/json.js';
import { FeedbackService } from '../../feedback/feedback.service.js';
import { MAX_OTLP_BYTES, readBody } from '../body.js';
import { IngestionVerdictForm, ScoreTaken } from './answers.js';
import { LangfuseIntake, type IngestionVerdict } from './langfuse-intake.js';
import { readScore } from './scores.js';

export const LANGFUSE_INGESTION_PATH = 'api/public/ingestion';

const Score = z.record(z.string(), z.unknown());
const Scores = z.union([Score, z.array(Score).max(1_000)]);

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

  /** One score, or a list of them with one answer for all. */
  @Post('api/public/scores')
  @HttpCode(200)
  @Answers(200, ScoreTaken)
  async score(
    @ProjectId() projectId: string,
    @Body({ schema: Scores }) body: z.output<typeof Scores>,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ScoreTaken> {
    const nowNs = this.clock.nowNs();
    const read = [body].flat().map((raw) => {
      const id = contentHash(['langfuse score', raw]);
      return readScore(raw, { id, timestampNs: nowNs });
    });
    const errors = read.flatMap((item) => ('problem' in item ? [{ message: item.problem }] : []));
    const [problem] = errors;
    if (!Array.isArray(body) && problem !== undefined)
      throw new AppError('request.invalid', { public: `${problem.message}.` });
    const items = read.flatMap((item) => ('problem' in item ? [] : [item]));
    await this.feedback.add(projectId, items);
    if (!Array.isArray(body)) return { id: items[0]?.id ?? '' };
    response.status(207);
    return { accepted: items.length, rejected: errors.length, errors };
  }
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    throw new AppError('request.invalid', { public: 'The body is not JSON. Do not send it again as it is.' });
  }
}
