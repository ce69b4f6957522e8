import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { ArtifactStore } from '#platform/artifacts';
import { ClickHouse } from '#platform/clickhouse';
import { Postgres } from '#platform/postgres';
import { InProcessJobQueue, JobQueue, JobStore } from '#platform/queue';
import { IdSource } from '#platform/runtime';
import { EventStream, InProcessEventStream } from '#platform/stream';
import { Log } from '#platform/telemetry';

export interface PlatformParts {
  clock: Clock;
  ids: IdSource;
  log: Log;
  clickhouse: ClickHouse;
  postgres: Postgres;
  artifacts: ArtifactStore;
}

/** The adapters of this deployment, for every module. What runs them starts before Nest does and ends after it. */
@Global()
@Module({})
export class PlatformModule {
  static of(parts: PlatformParts): DynamicModule {
    const queue = new InProcessJobQueue();
    const providers: { provide: InjectionToken; useValue: unknown }[] = [
      { provide: Clock, useValue: parts.clock },
      { provide: IdSource, useValue: parts.ids },
      { provide: Log, useValue: parts.log },
      { provide: ClickHouse, useValue: parts.clickhouse },
      { provide: Postgres, useValue: parts.postgres },
      { provide: ArtifactStore, useValue: parts.artifacts },
      { provide: EventStream, useValue: new InProcessEventStream() },
      { provide: JobQueue, useValue: queue },
      { provide: JobStore, useValue: new JobStore(parts.postgres, parts.ids, queue) },
    ];
    return { module: PlatformModule, providers, exports: providers.map(({ provide }) => provide) };
  }
}
