/** The stage with real stores: the embedded ClickHouse and PGlite, wired by Nest as an app wires it. */
import { Readable } from 'node:stream';
import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '#kernel/clock';
import {
  ImportService,
  MaskingKey,
  StreamLink,
  TrajectoriesModule,
  type ImportVerdict,
} from '#loop/trajectories';
import { ArtifactStore, FolderArtifactStore } from '#platform/artifacts';
import { ClickHouse, migrateClickHouse } from '#platform/clickhouse';
import { migratePostgres, Postgres } from '#platform/postgres';
import { SystemClock } from '#platform/runtime';
import { EventStream, InProcessEventStream } from '#platform/stream';
import { Log } from '#platform/telemetry';
import { startEmbeddedPostgres } from '../../../../test/support/postgres.js';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import { TriageModule } from '../index.js';

export interface Stores {
  clickhouse: ClickHouse;
  postgres: Postgres;
  close(): Promise<void>;
}

export async function startStores(): Promise<Stores> {
  const [clickhouse, postgres] = await Promise.all([
    ClickHouse.startEmbedded({ homeDir: tempDir() }),
    startEmbeddedPostgres(),
  ]);
  const close = async (): Promise<void> => {
    await Promise.all([clickhouse.close(), postgres.close()]);
    removeTempDirs();
  };
  await Promise.all([migrateClickHouse(clickhouse), migratePostgres(postgres)]);
  return { clickhouse, postgres, close };
}

/** A fresh process on the stores. Its jobs run only after `init()`. */
export async function openStage({ clickhouse, postgres }: Stores): Promise<TestingModule> {
  const providers = [
    { provide: ClickHouse, useValue: clickhouse },
    { provide: Postgres, useValue: postgres },
    { provide: EventStream, useValue: new InProcessEventStream() },
    { provide: Log, useValue: Log.silent() },
    { provide: Clock, useClass: SystemClock },
    { provide: ArtifactStore, useValue: new FolderArtifactStore(tempDir()) },
    { provide: MaskingKey, useValue: MaskingKey.ephemeral() },
    { provide: StreamLink, useValue: new StreamLink(null) },
  ];
  @Global()
  @Module({ providers, exports: providers.map(({ provide }) => provide) })
  class PlatformModule {}
  return Test.createTestingModule({ imports: [PlatformModule, TrajectoriesModule, TriageModule] }).compile();
}

/** Imports rows of any known format. */
export function importRows(
  stage: TestingModule,
  projectId: string,
  rows: readonly unknown[] | Readable,
): Promise<ImportVerdict> {
  const body =
    rows instanceof Readable
      ? rows
      : Readable.from([Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))]);
  return stage.get(ImportService).run({ projectId, format: null, body });
}

let callIds = 0;

/** A run as tau-bench writes it: look up a row, act on it, end. */
export function recordedRun(
  taskId: number,
  given: { reward?: number; act?: string; argument?: string; last?: string } = {},
): Record<string, unknown> {
  const { reward = 0, act = 'cancel_event', argument = '431', last = 'done' } = given;
  const call = (name: string, args: unknown, content: string): unknown[] => {
    const id = `call_${callIds++}`;
    return [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }],
      },
      { role: 'tool', tool_call_id: id, name, content },
    ];
  };
  return {
    task_id: taskId,
    trial: 0,
    reward,
    info: {},
    traj: [
      { role: 'user', content: 'cancel the call with garbo' },
      ...call('find_event', { name: 'garbo' }, '{"id": "431", "flag": "locked"}'),
      ...call(act, { id: argument }, '{"ok": "yes"}'),
      { role: 'assistant', content: last },
    ],
  };
}
