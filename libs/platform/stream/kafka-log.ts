import kafkajs, { type Admin, type Kafka } from 'kafkajs';

import type { Clock } from '#kernel/clock';
import type { Log } from '#platform/telemetry';

import {
  EventLog,
  type ConsumeOptions,
  type Consumption,
  type LogRecord,
  type PartitionLag,
} from './event-log.js';
import { brokersUnavailable, openKafka, type KafkaConnectionOptions } from './kafka-connection.js';
import { KafkaConsumption, type ConsumptionSettings } from './kafka-consumption.js';
import { KafkaPublisher } from './kafka-publisher.js';
import { decodeNote } from './range-plan.js';
import { ensureTopics, type TopicSettings } from './kafka-topics.js';

export interface KafkaLogOptions extends KafkaConnectionOptions {
  maxPendingBytes?: number;
  clock: Clock;
  consume?: Partial<ConsumptionSettings>;
}

const DEFAULTS: ConsumptionSettings = {
  maxRecords: 5_000,
  maxBytes: 8 * 1024 * 1024,
  fetchBytesPerPartition: 4 * 1024 * 1024,
  maxWaitMs: 500,
  sessionTimeoutMs: 30_000,
  partitionsAtOnce: 4,
};

/** The log on Apache Kafka. */
export class KafkaEventLog extends EventLog {
  private readonly kafka: Kafka;
  private readonly log: Log;
  private readonly clock: Clock;
  private readonly publisher: KafkaPublisher;
  private readonly settings: ConsumptionSettings;
  private readonly consumptions = new Set<Consumption>();
  private connectedAdmin: Promise<Admin> | undefined;

  constructor(options: KafkaLogOptions) {
    super();
    this.kafka = openKafka(options);
    this.log = options.log;
    this.clock = options.clock;
    const { maxPendingBytes } = options;
    this.publisher = new KafkaPublisher(this.kafka, maxPendingBytes === undefined ? {} : { maxPendingBytes });
    this.settings = { ...DEFAULTS, ...options.consume };
  }

  append(topic: string, records: readonly LogRecord[]): Promise<void> {
    return this.publisher.append(topic, records);
  }

  async consume(options: ConsumeOptions): Promise<Consumption> {
    const { kafka, log, clock, settings } = this;
    const consumption = new KafkaConsumption(
      { kafka, log, clock, settings, admin: () => this.admin() },
      options,
    );
    this.consumptions.add(consumption);
    await consumption.start();
    return consumption;
  }

  async lag(topic: string, group: string): Promise<PartitionLag[]> {
    try {
      const admin = await this.admin();
      const [ends, committed] = await Promise.all([
        again(() => admin.fetchTopicOffsets(topic)),
        again(() => admin.fetchOffsets({ groupId: group, topics: [topic] })),
      ]);
      const done = new Map(committed[0]?.partitions.map((entry) => [entry.partition, entry]));
      return ends.map(({ partition, high, low }) => {
        const { offset = '-1', metadata = null } = done.get(partition) ?? {};
        const records = Math.max(0, Number(high) - Math.max(Number(offset), Number(low)));
        const handledMs = decodeNote(metadata).handledMs ?? -Infinity;
        return {
          partition,
          records,
          behindMs: records === 0 ? 0 : Math.max(0, this.clock.nowMs() - handledMs),
        };
      });
    } catch (error) {
      throw brokersUnavailable(error);
    }
  }

  /** Makes missing topics and brings the settings of existing ones up to date; repeatable. Returns the names made now. */
  async ensureTopics(topics: readonly TopicSettings[]): Promise<string[]> {
    try {
      return await ensureTopics(await this.admin(), topics);
    } catch (error) {
      throw brokersUnavailable(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumptions].map((consumption) => consumption.stop()));
    await this.publisher.close();
    await this.connectedAdmin?.then((admin) => admin.disconnect()).catch(() => undefined);
  }

  private admin(): Promise<Admin> {
    this.connectedAdmin ??= this.openAdmin().catch((error: unknown) => {
      this.connectedAdmin = undefined;
      throw error;
    });
    return this.connectedAdmin;
  }

  private async openAdmin(): Promise<Admin> {
    const admin = this.kafka.admin();
    await admin.connect();
    return admin;
  }
}

const ASK_AGAIN = { times: 10, waitMs: 200 };

/** Leaders and coordinators move when brokers come and go; the driver repeats most questions by itself, these two it does not. */
async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (let left = ASK_AGAIN.times; ; left--) {
    try {
      return await ask();
    } catch (error) {
      if (left === 0 || !(error instanceof kafkajs.KafkaJSProtocolError && error.retriable)) throw error;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN.waitMs));
    }
  }
}
