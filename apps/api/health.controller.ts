import { Controller, Get, Header } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { ClickHouse } from '#platform/clickhouse';
import { Metrics } from '#platform/telemetry';
import { Answers, AnswersText, AnswersUnchecked, Public } from '#platform/web';
import { ApiDocument, Health } from './answers.js';
import { OpenApiDocument } from './open-api.js';

/** Open on purpose: probes and the API description. */
@Public()
@Controller()
export class HealthController {
  constructor(
    private readonly clickhouse: ClickHouse,
    private readonly openApi: OpenApiDocument,
    private readonly numbers: Metrics,
  ) {}

  @Get('healthz')
  @Answers(200, Health)
  health(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @Answers(200, Health)
  async ready(): Promise<{ status: string }> {
    if (await this.clickhouse.ping()) return { status: 'ready' };
    throw new AppError('store.unavailable', { public: 'The trajectory store does not answer.' });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  @AnswersText(200, { 'text/plain': 'Prometheus text format 0.0.4' })
  metrics(): Promise<string> {
    return this.numbers.text();
  }

  @Get('openapi.json')
  @AnswersUnchecked(200, ApiDocument)
  document(): unknown {
    return this.openApi.get();
  }
}
