import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { AppError } from '#kernel/errors';
import { AnswersUnchecked, ProjectId } from '#platform/web';
import { OtlpVerdict } from '../answers.js';
import { MAX_OTLP_BYTES, readBody } from './body.js';
import { decodeOtlp, encodeVerdict, encodingOf } from './otlp-wire.js';
import { SpanIntake } from './span-intake.js';

/** OpenTelemetry's own path, and those that clients of Langfuse, Braintrust and Opik use: only the host changes. */
export const OTLP_TRACE_PATHS = [
  'v1/traces',
  'api/public/otel/v1/traces',
  'otel/v1/traces',
  'api/v1/private/otel/v1/traces',
];

/** OTLP/HTTP for traces. */
@Controller()
export class OtlpController {
  constructor(private readonly intake: SpanIntake) {}

  @Post(OTLP_TRACE_PATHS)
  @HttpCode(200)
  @AnswersUnchecked(200, OtlpVerdict, { 'application/x-protobuf': 'ExportTraceServiceResponse' })
  async traces(
    @ProjectId() projectId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const encoding = encodingOf(request.headers['content-type']);
    const body = await readBody(request, {
      gzip: isGzip(request.headers['content-encoding']),
      maxBytes: MAX_OTLP_BYTES,
    });
    const { spans, rejected } = decodeOtlp(body, encoding);
    await this.intake.accept(projectId, spans);
    response.status(200).type(encoding).send(encodeVerdict(rejected, encoding));
  }
}

function isGzip(contentEncoding: string | undefined): boolean {
  const encoding = contentEncoding?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  if (encoding === 'identity' || encoding === '') return false;
  throw new AppError('request.unsupported_media', {
    public: `Content-Encoding ${encoding} is not taken here; send gzip or none.`,
  });
}
