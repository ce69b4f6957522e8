import type { Admin, Kafka } from 'kafkajs';

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
import { ensureTopics, type TopicSettings } from './kafka-topics.js';
import type { Log } from '#platform/telemetry';

export interface KafkaLogOptions extends KafkaConnectionOptions {
  maxPendingBytes?: number;
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
  private readonly publisher: KafkaPublisher;
  private readonly settings: ConsumptionSettings;
  private readonly consumptions = new Set<Consumption>();
  private connectedAdmin: Promise<Admin> | undefined;

  constructor(options: KafkaLogOptions) {
    super();
    this.kafka = openKafka(options);
    this.log = options.log;
    const { maxPendingBytes } = options;
    this.publisher = new KafkaPublisher(this.kafka, maxPendingBytes === undefined ? {} : { maxPendingBytes });
    this.settings = { ...DEFAULTS, ...options.consume };
  }

  append(topic: string, records: readonly LogRecord[]): Promise<void> {
    return this.publisher.append(topic, records);
  }

  async consume(options: ConsumeOptions): Promise<Consumption> {
    const { kafka, log, settings } = this;
    const consumption = new KafkaConsumption({ kafka, log, settings, admin: () => this.admin() }, options);
    this.consumptions.add(consumption);
    await consumption.start();
    return consumption;
  }

  async lag(topic: string, group: string): Promise<PartitionLag[]> {
    try {
      const admin = await this.admin();
      const [ends, committed] = await Promise.all([
        admin.fetchTopicOffsets(topic),
        admin.fetchOffsets({ groupId: group, topics: [topic] }),
      ]);
      const offsets = new Map(
        committed[0]?.partitions.map(({ partition, offset }) => [partition, Number(offset)]),
      );
      return ends.map(({ partition, high, low }) => {
        const position = Math.max(offsets.get(partition) ?? -1, Number(low));
        return { partition, records: Math.max(0, Number(high) - position) };
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
