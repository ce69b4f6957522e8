/** A record as the log keeps it: bytes under a key. */
export interface LogRecord {
  /** Records with one key keep their order. */
  key: string;
  value: Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

export interface StoredRecord extends LogRecord {
  /** Position in its partition. */
  offset: bigint;
  /** When it was appended, ms since the epoch. */
  timestampMs: number;
}

/**
 * Neighbouring records of one partition. When a range comes again after a crash it has the same bounds and the same token,
 * whatever was fetched, so a store that remembers tokens takes it once.
 */
export interface LogRange {
  topic: string;
  partition: number;
  /** Stable name of this range: for the store's own deduplication. */
  token: string;
  /** When the range was cut first, ms since the epoch: the same when it comes again, and different for every range of a process. */
  plannedMs: number;
  records: readonly StoredRecord[];
}

/** Resolves when the range is dealt with. A rejection means: not now; the same range comes again. */
export type RangeHandler = (range: LogRange) => Promise<void>;

export interface ConsumeOptions {
  topic: string;
  /** Each group gets every record; the members of a group share the partitions. */
  group: string;
  handler: RangeHandler;
}

export interface PartitionLag {
  partition: number;
  /** Records appended and not yet dealt with. */
  records: number;
  /** Age of the newest record dealt with, where there are others left: Infinity where none was; 0 where none is left. */
  behindMs: number;
}

export interface Consumption {
  /** Finishes the range in work, then leaves the group. */
  stop(): Promise<void>;
}

/** A partitioned log of bytes that is read in ranges; what `EventStream` and the span path are made of in production. */
export abstract class EventLog {
  /**
   * Resolves when every in-sync replica has the records.
   * @throws AppError `store.unavailable` when the buffer is full or the brokers do not answer: the sender tries again.
   */
  abstract append(topic: string, records: readonly LogRecord[]): Promise<void>;

  abstract consume(options: ConsumeOptions): Promise<Consumption>;

  /** What the group has not dealt with yet, partition by partition, known even where no member runs. */
  abstract lag(topic: string, group: string): Promise<PartitionLag[]>;

  abstract close(): Promise<void>;
}
