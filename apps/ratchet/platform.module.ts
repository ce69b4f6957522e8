import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { ArtifactStore } from '#platform/artifacts';
import { ClickHouse } from '#platform/clickhouse';
import { Postgres } from '#platform/postgres';
import { JobQueue, JobStore } from '#platform/queue';
import { IdSource } from '#platform/runtime';
import { EventStream } from '#platform/stream';
import { Log, Metrics } from '#platform/telemetry';

export interface PlatformParts {
  clock: Clock;
  ids: IdSource;
  log: Log;
  clickhouse: ClickHouse;
  postgres: Postgres;
  artifacts: ArtifactStore;
  stream: EventStream;
  queue: JobQueue;
  metrics: Metrics;
}

/** The adapters of this deployment, for every module. What runs them starts before Nest does and ends after it. */
@Global()
@Module({})
export class PlatformModule {
  static of(parts: PlatformParts): DynamicModule {
    const providers: { provide: InjectionToken; useValue: unknown }[] = [
      { provide: Clock, useValue: parts.clock },
      { provide: IdSource, useValue: parts.ids },
      { provide: Log, useValue: parts.log },
      { provide: Metrics, useValue: parts.metrics },
      { provide: ClickHouse, useValue: parts.clickhouse },
      { provide: Postgres, useValue: parts.postgres },
      { provide: ArtifactStore, useValue: parts.artifacts },
      { provide: EventStream, useValue: parts.stream },
      { provide: JobQueue, useValue: parts.queue },
      { provide: JobStore, useValue: new JobStore(parts.postgres, parts.ids, parts.queue) },
    ];
    return { module: PlatformModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
