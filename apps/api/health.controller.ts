import { Controller, Get, Header } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { ClickHouse } from '#platform/clickhouse';
import { Metrics } from '#platform/telemetry';
import { Public } from '#platform/web';
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
  health(): { status: string } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(): Promise<{ status: string }> {
    if (await this.clickhouse.ping()) return { status: 'ready' };
    throw new AppError('store.unavailable', { public: 'The trajectory store does not answer.' });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4')
  metrics(): Promise<string> {
    return this.numbers.text();
  }

  @Get('openapi.json')
  document(): unknown {
    return this.openApi.get();
  }
}
