import type { TrajectoryCompleted } from '#contracts/trajectory';
import { Clock, ManualClock } from '#kernel/clock';
import { ClickHouse, migrateClickHouse } from '#platform/clickhouse';
import { removeTempDirs, tempDir } from '../../../../test/support/temp-dir.js';
import { Assembler } from '../assembler.service.js';
import { AssemblySweep } from '../assembly-sweep.js';
import { CompletedFeed } from '../completed-feed.js';
import { ReceiptSequence } from '../receipt-sequence.js';
import { SpansRepository } from '../spans.repository.js';
import { TrajectoriesRepository } from '../trajectories.repository.js';
import { Trajectories } from '../trajectories.service.js';

/** Keeps what was told, for specs. */
export class RecordingFeed extends CompletedFeed {
  readonly events: TrajectoryCompleted[] = [];

  override publish(events: readonly TrajectoryCompleted[]): Promise<void> {
    this.events.push(...events);
    return Promise.resolve();
  }
}

export interface StageParts {
  clock: ManualClock;
  feed: RecordingFeed;
  spans: SpansRepository;
  assembler: Assembler;
  sweep: AssemblySweep;
  trajectories: Trajectories;
}

/** The stage's parts as a fresh process would make them, on a store that may already hold data. */
export function stageOn(clickhouse: ClickHouse, clock = new ManualClock()): StageParts {
  const feed = new RecordingFeed();
  const sequence = new ReceiptSequence(clock satisfies Clock);
  const spans = new SpansRepository(clickhouse, sequence);
  const repository = new TrajectoriesRepository(clickhouse, sequence);
  const assembler = new Assembler(spans, repository, feed);
  return { clock, feed, spans, assembler, sweep: new AssemblySweep(spans, assembler, clock), trajectories: new Trajectories(repository, spans) };
}

/** The embedded engine with the migrations applied; `close` ends it and clears its folder. */
export async function startStore(): Promise<{ clickhouse: ClickHouse; close: () => Promise<void> }> {
  const clickhouse = await ClickHouse.startEmbedded({ homeDir: tempDir() });
  await migrateClickHouse(clickhouse);
  return {
    clickhouse,
    close: async () => {
      await clickhouse.close();
      removeTempDirs();
    },
  };
}
