import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrajectoryCompleted } from '#contracts/trajectory';
import { Clock, ManualClock } from '#kernel/clock';
import { FolderArtifactStore, type ArtifactStore } from '#platform/artifacts';
import { ClickHouse, migrateClickHouse } from '#platform/clickhouse';
import { InProcessEventStream, type EventStream } from '#platform/stream';
import { projectRoot } from '#platform/runtime';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import { Assembler } from '../assembler.service.js';
import { AssemblySweep } from '../assembly-sweep.js';
import { completedTopic, CompletedFeed } from '../completed-feed.js';
import { FeedbackJoin } from '../feedback/feedback-join.js';
import { FeedbackRepository } from '../feedback/feedback.repository.js';
import { FeedbackSweep } from '../feedback/feedback-sweep.js';
import { ReceiptSequence } from '../receipt-sequence.js';
import { SpansRepository } from '../spans.repository.js';
import { BigFields } from '../storage/big-fields.js';
import { TrajectoriesRepository } from '../trajectories.repository.js';
import { Trajectories } from '../trajectories.service.js';

export interface StageParts {
  clock: ManualClock;
  /** What was announced. */
  events: TrajectoryCompleted[];
  stream: EventStream;
  spans: SpansRepository;
  bigFields: BigFields;
  assembler: Assembler;
  sweep: AssemblySweep;
  feedback: FeedbackRepository;
  feedbackSweep: FeedbackSweep;
  trajectories: Trajectories;
}

const artifacts = new WeakMap<ClickHouse, ArtifactStore>();

/** Large texts of a store's rows: one folder for all that work on it. */
export function artifactsOf(clickhouse: ClickHouse): ArtifactStore {
  const known = artifacts.get(clickhouse) ?? new FolderArtifactStore(tempDir());
  artifacts.set(clickhouse, known);
  return known;
}

/** The stage's parts as a fresh process would make them, on a store that may already hold data. */
export function stageOn(clickhouse: ClickHouse, clock = new ManualClock()): StageParts {
  const stream = new InProcessEventStream();
  const events: TrajectoryCompleted[] = [];
  void stream.subscribe(completedTopic, 'spec', (messages) =>
    Promise.resolve(void events.push(...messages.map(({ value }) => value))),
  );
  const sequence = new ReceiptSequence(clock satisfies Clock);
  const bigFields = new BigFields(artifactsOf(clickhouse), clock);
  const spans = new SpansRepository(clickhouse, sequence, bigFields);
  const repository = new TrajectoriesRepository(clickhouse, sequence);
  const feedback = new FeedbackRepository(clickhouse, sequence);
  const assembler = new Assembler(spans, repository, new CompletedFeed(stream), new FeedbackJoin(feedback));
  return {
    clock,
    events,
    stream,
    spans,
    bigFields,
    assembler,
    sweep: new AssemblySweep(spans, assembler, clock),
    feedback,
    feedbackSweep: new FeedbackSweep(feedback, repository, assembler, clock),
    trajectories: new Trajectories(repository, spans),
  };
}

/** The embedded engine with this stage's tables; `close` ends it and clears its folder. */
export async function startStore(): Promise<{ clickhouse: ClickHouse; close: () => Promise<void> }> {
  const clickhouse = await ClickHouse.startEmbedded({ homeDir: tempDir() });
  const close = async (): Promise<void> => {
    await clickhouse.close();
    removeTempDirs();
  };
  try {
    const dir = tempDir();
    for (const [from, to] of MIGRATIONS)
      copyFileSync(join(projectRoot(), 'migrations', 'clickhouse', from), join(dir, to));
    await migrateClickHouse(clickhouse, dir);
    return { clickhouse, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** This stage's files, numbered without the gaps that other stages leave. */
const MIGRATIONS = [
  ['0001_trajectories.sql', '0001_trajectories.sql'],
  ['0004_facts.sql', '0002_facts.sql'],
] as const;
