import { Partitioners, type Kafka, type Message, type Producer } from 'kafkajs';

import { AppError } from '#kernel/errors';

import type { LogRecord } from './event-log.js';
import { brokersUnavailable } from './kafka-connection.js';

export interface PublisherOptions {
  /** Bytes that may wait or be under way before appending is refused. */
  maxPendingBytes?: number;
}

interface Waiting {
  topic: string;
  records: readonly LogRecord[];
  bytes: number;
  done: () => void;
  failed: (error: unknown) => void;
}

/** A request holds at most this much, or one caller's records; topics must take messages of this size. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;

/**
 * Appends with acks=all by an idempotent producer, one request at a time: what comes in meanwhile goes with the next one.
 *
 * A request that failed for good may still have been stored. The driver would then give its sequence numbers to other
 * records, which the broker takes for repetitions and drops while it says yes. So the producer is replaced after a failure.
 */
export class KafkaPublisher {
  private waiting: Waiting[] = [];
  private pendingBytes = 0;
  private producer: Promise<Producer> | undefined;
  private sending: Promise<void> | undefined;
  private closed = false;
  private readonly maxPendingBytes: number;

  constructor(
    private readonly kafka: Kafka,
    { maxPendingBytes = 64 * 1024 * 1024 }: PublisherOptions = {},
  ) {
    this.maxPendingBytes = maxPendingBytes;
  }

  append(topic: string, records: readonly LogRecord[]): Promise<void> {
    if (records.length === 0) return Promise.resolve();
    const bytes = records.reduce((sum, { key, value }) => sum + key.length + value.byteLength, 0);
    // A single append above the limit must get through when nothing else waits.
    const isFull = this.pendingBytes > 0 && this.pendingBytes + bytes > this.maxPendingBytes;
    if (isFull || this.closed) {
      const public_ = this.closed
        ? 'Ratchet is stopping. Send this again.'
        : 'Too much is waiting to be stored. Send this again shortly.';
      return Promise.reject(new AppError('store.unavailable', { public: public_, detail: { topic } }));
    }
    this.pendingBytes += bytes;
    const appended = new Promise<void>((done, failed) =>
      this.waiting.push({ topic, records, bytes, done, failed }),
    );
    this.sending ??= this.drain();
    return appended;
  }

  /** Sends what was taken, then ends the connection. */
  async close(): Promise<void> {
    this.closed = true;
    await this.sending;
    await this.dropProducer();
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        await this.send(batch);
        for (const { done } of batch) done();
      } catch (error) {
        await this.dropProducer();
        for (const { failed } of batch) failed(brokersUnavailable(error));
      } finally {
        this.pendingBytes -= batch.reduce((sum, { bytes }) => sum + bytes, 0);
      }
    }
    this.sending = undefined;
  }

  private takeBatch(): Waiting[] {
    let bytes = 0;
    let take = 0;
    for (const entry of this.waiting) {
      if (take > 0 && bytes + entry.bytes > MAX_REQUEST_BYTES) break;
      bytes += entry.bytes;
      take += 1;
    }
    return this.waiting.splice(0, take);
  }

  private async send(batch: readonly Waiting[]): Promise<void> {
    const byTopic = new Map<string, Message[]>();
    for (const { topic, records } of batch) {
      const messages = byTopic.get(topic) ?? [];
      byTopic.set(topic, messages);
      for (const { key, value, headers } of records) {
        messages.push({
          key,
          value: Buffer.from(value.buffer, value.byteOffset, value.byteLength),
          ...(headers && { headers }),
        });
      }
    }
    const producer = await (this.producer ??= this.openProducer());
    const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
    await producer.sendBatch({ acks: -1, topicMessages });
  }

  private async openProducer(): Promise<Producer> {
    const producer = this.kafka.producer({
      idempotent: true,
      maxInFlightRequests: 1,
      allowAutoTopicCreation: false,
      createPartitioner: Partitioners.DefaultPartitioner,
      retry: { initialRetryTime: 100, maxRetryTime: 3_000, retries: 8 },
    });
    await producer.connect();
    return producer;
  }

  private async dropProducer(): Promise<void> {
    const dropped = this.producer;
    this.producer = undefined;
    // One that never connected has nothing to end.
    await dropped?.then((producer) => producer.disconnect()).catch(() => undefined);
  }
}
