/** For specs: evals and environments composed as an app composes them, on real embedded stores. */
import { readFileSync } from 'node:fs';
import {
  Global,
  Module,
  StandardSchemaValidationPipe,
  type INestApplication,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { EnvironmentTask } from '#contracts/environment';
import type { Trajectory } from '#contracts/trajectory';
import { Clock } from '#kernel/clock';
import {
  CaseRunner,
  EnvironmentSource,
  EvalCases,
  EvalRuns,
  EvalsModule,
  EvalSuites,
  EvaluatorKey,
  FailureSource,
  type BucketFault,
  type RunSettings,
} from '#loop/evals';
import { ClickHouse, splitStatements } from '#platform/clickhouse';
import { migratePostgres, Postgres } from '#platform/postgres';
import { IdSource, SystemClock } from '#platform/runtime';
import { ProblemFilter } from '#platform/web';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import { EnvironmentsController, GymController } from '../http.js';
import { EnvironmentCatalog, EnvironmentsModule, HarnessCaseRunner } from '../index.js';
import { rightAct, startChatServer, type ChatServer, type ScriptedRequest } from './chat-server.js';

/** Buckets and trajectories as triage would hand them over. */
export class KnownFailures extends FailureSource {
  readonly buckets = new Map<string, { agent: string; faults: BucketFault[] }>();
  readonly runs = new Map<string, Trajectory>();

  bucket(_projectId: string, id: string): Promise<{ id: string; agent: string } | null> {
    const bucket = this.buckets.get(id);
    return Promise.resolve(bucket ? { id, agent: bucket.agent } : null);
  }
  faults(_projectId: string, id: string, limit: number): Promise<BucketFault[]> {
    return Promise.resolve((this.buckets.get(id)?.faults ?? []).slice(0, limit));
  }
  trajectories(_projectId: string, ids: readonly string[]): Promise<Trajectory[]> {
    return Promise.resolve(ids.flatMap((id) => this.runs.get(id) ?? []));
  }
}

export interface TestApp {
  nest: INestApplication;
  catalog: EnvironmentCatalog;
  suites: EvalSuites;
  runs: EvalRuns;
  cases: EvalCases;
}

export class TestStage {
  readonly key = EvaluatorKey.ephemeral();
  readonly failures = new KnownFailures();
  private readonly started: TestApp[] = [];
  private server: ChatServer | null = null;

  private constructor(
    readonly postgres: Postgres,
    readonly clickhouse: ClickHouse,
  ) {}

  static async open(): Promise<TestStage> {
    const [postgres, clickhouse] = await Promise.all([
      Postgres.startEmbedded({ homeDir: tempDir() }),
      ClickHouse.startEmbedded({ homeDir: tempDir() }),
    ]);
    await migratePostgres(postgres);
    const file = new URL('../../../../migrations/clickhouse/0003_rollouts.sql', import.meta.url);
    for (const statement of splitStatements(readFileSync(file, 'utf8'))) await clickhouse.command(statement);
    return new TestStage(postgres, clickhouse);
  }

  /** A second call is the app after a restart: nothing in memory is shared. */
  async start(controllers: Type[] = []): Promise<TestApp> {
    const nest = await NestFactory.create(appModule(this, controllers), { logger: false });
    nest.useGlobalPipes(new StandardSchemaValidationPipe());
    nest.useGlobalFilters(new ProblemFilter(() => undefined));
    await nest.init();
    const app: TestApp = {
      nest,
      catalog: nest.get(EnvironmentCatalog),
      suites: nest.get(EvalSuites),
      runs: nest.get(EvalRuns),
      cases: nest.get(EvalCases),
    };
    this.started.push(app);
    return app;
  }

  /** A policy that is right on the tasks it knows; the model named `weak`, and on any other task, says only the last words. */
  async serve(
    tasks: readonly EnvironmentTask[],
    onRequest?: (request: ScriptedRequest) => void,
  ): Promise<ChatServer> {
    await this.server?.close();
    this.server = await startChatServer((request) => {
      onRequest?.(request);
      const task = tasks.find((each) => each.messages[0]?.content === request.messages[0]?.content);
      return task && request.model !== 'weak' ? rightAct(task, request.messages) : { content: 'done' };
    });
    return this.server;
  }

  async close(): Promise<void> {
    await this.server?.close();
    for (const { nest } of this.started) await nest.close();
    await this.clickhouse.close();
    await this.postgres.close();
    removeTempDirs();
  }
}

function appModule(stage: TestStage, controllers: Type[]) {
  const clock = new SystemClock();
  const ids = new IdSource(clock);
  const given = [
    { provide: Postgres, useValue: stage.postgres },
    { provide: ClickHouse, useValue: stage.clickhouse },
    { provide: Clock, useValue: clock },
    { provide: IdSource, useValue: ids },
    { provide: EvaluatorKey, useValue: stage.key },
    { provide: FailureSource, useValue: stage.failures },
    { provide: CaseRunner, useExisting: HarnessCaseRunner },
    { provide: EnvironmentSource, useExisting: EnvironmentCatalog },
  ];
  @Global()
  @Module({ imports: [EnvironmentsModule], providers: given, exports: given.map((each) => each.provide) })
  class Bindings {}
  @Module({
    imports: [Bindings, EvalsModule, EnvironmentsModule],
    controllers: [EnvironmentsController, GymController, ...controllers],
  })
  class App {}
  return App;
}

export function testSettings(over: Partial<RunSettings> = {}): RunSettings {
  return {
    repeats: 2,
    seed: 1,
    sampling: { temperature: 0.7, topP: 1, maxTokens: 32 },
    price: { inputPerMillionUsd: 1, outputPerMillionUsd: 1 },
    verifiers: null,
    concurrency: 4,
    ...over,
  };
}
