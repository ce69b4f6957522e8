import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs';

import type { Clock } from '#kernel/clock';
import type { Log } from '#platform/telemetry';

import type { Consumption, ConsumeOptions, LogRange, StoredRecord } from './event-log.js';
import { decodeNote, encodeNote, RangeCutter, type CutRange, type RangeLimits } from './range-plan.js';

export interface ConsumptionSettings extends RangeLimits {
  /** A fetch takes at most this much of a partition, so a partition with a backlog does not crowd out the others. */
  fetchBytesPerPartition: number;
  /** A fetch waits this long for more to come. */
  maxWaitMs: number;
  /** A member that is silent for this long has lost its partitions. */
  sessionTimeoutMs: number;
  partitionsAtOnce: number;
}

export interface ConsumptionParts {
  kafka: Kafka;
  admin: () => Promise<Admin>;
  log: Log;
  clock: Clock;
  settings: ConsumptionSettings;
}

interface PartitionState {
  cutter: RangeCutter;
  handledMs: number | undefined;
  /** Where a gap was met: met again after seeking back, it is a true one. */
  soughtFrom?: bigint;
}

const HEARTBEAT_MS = 1_000;
const MAX_RETRY_WAIT_MS = 15_000;

/**
 * Reads one topic as a member of a group, range by range. Before a range is handed over its bounds are committed beside the
 * offset; that commit also fences: a member that has lost its partitions is refused and hands nothing over.
 */
export class KafkaConsumption implements Consumption {
  private readonly consumer: Consumer;
  private readonly stopping = new AbortController();
  private partitions = new Map<number, Promise<PartitionState>>();
  private generation = 0;
  private lastPlannedMs = 0;

  constructor(
    private readonly parts: ConsumptionParts,
    private readonly options: ConsumeOptions,
  ) {
    const { kafka, settings } = parts;
    this.consumer = kafka.consumer({
      groupId: options.group,
      sessionTimeout: settings.sessionTimeoutMs,
      rebalanceTimeout: settings.sessionTimeoutMs,
      heartbeatInterval: HEARTBEAT_MS,
      minBytes: 64 * 1024,
      maxBytes: 4 * settings.fetchBytesPerPartition,
      maxBytesPerPartition: settings.fetchBytesPerPartition,
      maxWaitTimeInMs: settings.maxWaitMs,
      allowAutoTopicCreation: false,
      // Brokers may be away for as long as they like; what is committed is where it goes on.
      retry: {
        initialRetryTime: 200,
        maxRetryTime: 5_000,
        retries: 10,
        restartOnFailure: () => Promise.resolve(true),
      },
    });
  }

  async start(): Promise<void> {
    const { consumer, options, parts } = this;
    consumer.on(consumer.events.GROUP_JOIN, () => {
      this.generation += 1;
      this.partitions = new Map();
    });
    await consumer.connect();
    await consumer.subscribe({ topics: [options.topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: parts.settings.partitionsAtOnce,
      eachBatch: (payload) => this.onBatch(payload),
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.consumer.disconnect();
  }

  private async onBatch(payload: EachBatchPayload): Promise<void> {
    const { generation } = this;
    const { batch, resolveOffset } = payload;
    const state = await this.stateOf(batch.partition);
    const records = batch.messages.map(toRecord);
    if (this.isGap(state, records[0]?.offset)) {
      this.consumer.seek({
        topic: batch.topic,
        partition: batch.partition,
        offset: String(state.cutter.next),
      });
      return;
    }
    state.cutter.add(records);
    const endOffset = BigInt(batch.highWatermark);
    let handled = 0;
    for (let range = state.cutter.cut(endOffset); range !== undefined; range = state.cutter.cut(endOffset)) {
      if (this.isOver(payload, generation)) break;
      const atMs = range.plannedMs ?? this.nextPlanMs();
      const plan = { through: range.through, atMs };
      await this.commit(payload, range.first, encodeNote({ plan, handledMs: state.handledMs }));
      await this.handle(payload, rangeOf(batch, range, atMs), generation);
      if (this.generation !== generation) return;
      state.cutter.finish(range);
      state.handledMs = range.records.at(-1)?.timestampMs ?? state.handledMs;
      resolveOffset(String(range.through));
      handled += 1;
    }
    const { start } = state.cutter;
    if (this.generation !== generation) return;
    if (handled > 0 && start !== undefined)
      await this.commit(payload, start, encodeNote({ handledMs: state.handledMs }));
    // What waits for the rest of its planned range is held here; the next fetch goes on behind it.
    if (!this.isOver(payload, generation)) resolveOffset(batch.lastOffset());
  }

  /** Records of a fetch that was under way when the partition was assigned anew may lie ahead of what is committed. */
  private isGap(state: PartitionState, offset: bigint | undefined): boolean {
    const { next } = state.cutter;
    if (offset === undefined || next === undefined || offset <= next || state.soughtFrom === next)
      return false;
    state.soughtFrom = next;
    return true;
  }

  private stateOf(partition: number): Promise<PartitionState> {
    const known = this.partitions.get(partition) ?? this.committedState(partition);
    this.partitions.set(partition, known);
    known.catch(() => this.partitions.delete(partition));
    return known;
  }

  private async committedState(partition: number): Promise<PartitionState> {
    const { topic, group } = this.options;
    const admin = await this.parts.admin();
    const [fetched] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
    const committed = fetched?.partitions.find((entry) => entry.partition === partition);
    const position =
      committed === undefined || Number(committed.offset) < 0 ? undefined : BigInt(committed.offset);
    const { plan, handledMs } = decodeNote(committed?.metadata);
    return { cutter: new RangeCutter(position, plan, this.parts.settings), handledMs };
  }

  private commit(
    { batch, commitOffsetsIfNecessary }: EachBatchPayload,
    offset: bigint,
    note: string,
  ): Promise<void> {
    const partitions = [{ partition: batch.partition, offset: String(offset), metadata: note }];
    return commitOffsetsIfNecessary({ topics: [{ topic: batch.topic, partitions }] });
  }

  /** Hands the range over until it is taken. Meanwhile heartbeats keep the partitions; a rebalance ends the wait. */
  private async handle(payload: EachBatchPayload, range: LogRange, generation: number): Promise<void> {
    let lost: Error | undefined;
    const beating = setInterval(() => {
      payload.heartbeat().catch((error: unknown) => (lost ??= asError(error)));
    }, HEARTBEAT_MS);
    try {
      for (let attempt = 0; ; attempt++) {
        try {
          await this.options.handler(range);
          break;
        } catch (error) {
          this.parts.log.warn('stream.rangeFailed', {
            token: range.token,
            group: this.options.group,
            attempt,
            error,
          });
          await this.pause(Math.min(MAX_RETRY_WAIT_MS, 200 * 2 ** attempt), () => lost !== undefined);
          if (lost !== undefined || this.isOver(payload, generation)) throw lost ?? asError(error);
        }
      }
    } finally {
      clearInterval(beating);
    }
    if (lost !== undefined) throw lost;
  }

  private nextPlanMs(): number {
    this.lastPlannedMs = Math.max(this.parts.clock.nowMs(), this.lastPlannedMs + 1);
    return this.lastPlannedMs;
  }

  private isOver({ isRunning, isStale }: EachBatchPayload, generation: number): boolean {
    return !isRunning() || isStale() || this.stopping.signal.aborted || this.generation !== generation;
  }

  private async pause(waitMs: number, isOver: () => boolean): Promise<void> {
    const until = performance.now() + waitMs;
    while (performance.now() < until && !isOver() && !this.stopping.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** The time of the first record tells apart the ranges of a topic that was deleted and made again. */
function rangeOf(
  { topic, partition }: { topic: string; partition: number },
  cut: CutRange,
  plannedMs: number,
): LogRange {
  const madeMs = cut.records[0]?.timestampMs ?? 0;
  const token = `${topic}:${partition}:${cut.first}-${cut.through}:${madeMs}`;
  return { topic, partition, token, plannedMs, records: cut.records };
}

function toRecord(message: EachBatchPayload['batch']['messages'][number]): StoredRecord {
  const headers = Object.entries(message.headers ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return {
    offset: BigInt(message.offset),
    key: message.key?.toString() ?? '',
    value: message.value ?? Buffer.alloc(0),
    timestampMs: Number(message.timestamp),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}
