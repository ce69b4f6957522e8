import {
  Global,
  Module,
  StandardSchemaValidationPipe,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { json, type NextFunction, type Request, type Response } from 'express';
import { Clock, type ManualClock } from '#kernel/clock';
import { ArtifactStore } from '#platform/artifacts';
import { ClickHouse } from '#platform/clickhouse';
import { EventStream, InProcessEventStream } from '#platform/stream';
import { ProblemFilter } from '#platform/web';
import { COLLECTOR_CONTROLLERS, ExportController, RAW_BODY_PATHS, TrajectoriesController } from '../http.js';
import { StreamLink } from '../ingest/stream-link.js';
import { MaskingKey } from '../masking/masking-key.js';
import { TrajectoriesModule } from '../trajectories.module.js';
import { artifactsOf } from './store.js';
import { TrajectoryAnnotations } from '../trajectory-annotations.js';

class NoAnnotations extends TrajectoryAnnotations {
  of(): Promise<{ state: 'pending'; failures: [] }> {
    return Promise.resolve({ state: 'pending', failures: [] });
  }

  idsWith(): Promise<string[]> {
    return Promise.resolve([]);
  }
}

/** The stage's routes on a real store, with the platform's pipe and filter. A header names the project, as the guard would. */
export async function startHttp(clickhouse: ClickHouse, clock: ManualClock): Promise<INestApplication> {
  const values: [unknown, unknown][] = [
    [ClickHouse, clickhouse],
    [Clock, clock],
    [EventStream, new InProcessEventStream()],
    [TrajectoryAnnotations, new NoAnnotations()],
    [ArtifactStore, artifactsOf(clickhouse)],
    [MaskingKey, MaskingKey.ephemeral()],
    [StreamLink, new StreamLink(null)],
  ];
  const providers = values.map(([provide, useValue]) => ({ provide: provide as Type, useValue }));
  class PlatformModule {}
  Global()(PlatformModule);
  Module({ providers, exports: providers.map(({ provide }) => provide) })(PlatformModule);
  const testing = await Test.createTestingModule({
    imports: [PlatformModule, TrajectoriesModule],
    controllers: [...COLLECTOR_CONTROLLERS, ExportController, TrajectoriesController],
  }).compile();
  const app = testing.createNestApplication({ bodyParser: false });
  app.use(
    (
      request: { headers: Record<string, string>; projectId?: string },
      _response: unknown,
      next: () => void,
    ) => {
      request.projectId = request.headers['x-ratchet-project'] ?? 'default';
      next();
    },
  );
  const parse = json();
  app.use((incoming: Request, response: Response, next: NextFunction) => {
    if (RAW_BODY_PATHS.includes(incoming.path)) next();
    else parse(incoming, response, next);
  });
  app.useGlobalPipes(new StandardSchemaValidationPipe());
  app.useGlobalFilters(new ProblemFilter((error) => console.error(error)));
  await app.listen(0, '127.0.0.1');
  return app;
}

export interface Answer {
  status: number;
  type: string;
  bytes: Buffer;
  /** The body as JSON. */
  json: unknown;
}

/** One request with exactly these bytes. */
export async function request(
  app: INestApplication,
  path: string,
  options: { project: string; body?: string | Buffer; headers?: Record<string, string> },
): Promise<Answer> {
  const { project, body, headers = {} } = options;
  const init = body === undefined ? {} : { method: 'POST', body: new Uint8Array(Buffer.from(body)) };
  const response = await fetch(`${await app.getUrl()}${path}`, {
    ...init,
    headers: { 'x-ratchet-project': project, connection: 'close', ...headers },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  return {
    status: response.status,
    type,
    bytes,
    json: /[/+]json$/.test(type) ? (JSON.parse(bytes.toString()) as unknown) : null,
  };
}
