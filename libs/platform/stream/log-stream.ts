import { AppError } from '#kernel/errors';
import type { Log } from '#platform/telemetry';

import { deadLetter, DEAD_LETTER_TOPIC } from './dead-letter.js';
import type { EventLog, LogRange, StoredRecord } from './event-log.js';
import { EventStream, type BatchHandler, type StreamMessage, type Topic } from './event-stream.js';

/**
 * The stream on a log of bytes: values are JSON. Publishing is answered by the brokers; a group that fails gets its range
 * again. What cannot be read as the topic's values goes to the dead letters and holds nothing up.
 */
export class LogEventStream extends EventStream {
  private readonly groups = new Set<string>();

  constructor(
    private readonly events: EventLog,
    private readonly log: Log,
  ) {
    super();
  }

  publish<T>(topic: Topic<T>, messages: readonly StreamMessage<T>[]): Promise<void> {
    return this.events.append(
      topic.name,
      messages.map(({ key, value, headers }) => ({
        key,
        value: Buffer.from(JSON.stringify(value)),
        ...(headers === undefined ? {} : { headers }),
      })),
    );
  }

  async subscribe<T>(topic: Topic<T>, group: string, handler: BatchHandler<T>): Promise<void> {
    const name = `${group}/${topic.name}`;
    if (this.groups.has(name)) {
      throw new AppError('internal', {
        public: `Group ${group} already reads ${topic.name} in this process.`,
      });
    }
    this.groups.add(name);
    // A group of the brokers reads one topic here: members with different topics would make each other rebalance.
    await this.events.consume({
      topic: topic.name,
      group: `${group}.${topic.name}`,
      handler: async (range) => {
        const messages = await this.readable(topic, range);
        if (messages.length > 0) await handler(messages);
      },
    });
  }

  close(): Promise<void> {
    return this.events.close();
  }

  private async readable<T>(topic: Topic<T>, range: LogRange): Promise<StreamMessage<T>[]> {
    const messages: StreamMessage<T>[] = [];
    const unreadable: { record: StoredRecord; reason: string }[] = [];
    for (const record of range.records) {
      const parsed = parse(topic, record);
      if (typeof parsed === 'string') unreadable.push({ record, reason: parsed });
      else messages.push(parsed);
    }
    if (unreadable.length > 0) {
      this.log.warn('stream.unreadable', { topic: topic.name, count: unreadable.length });
      const letters = unreadable.map(({ record, reason }) => deadLetter({ range, record, reason }));
      await this.events.append(DEAD_LETTER_TOPIC, letters);
    }
    return messages;
  }
}

/** The message, or why it is none. */
function parse<T>(topic: Topic<T>, { key, value, headers }: StoredRecord): StreamMessage<T> | string {
  try {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString();
    const parsed = topic.schema.safeParse(JSON.parse(text));
    if (!parsed.success)
      return `not a value of ${topic.name}: ${parsed.error.issues[0]?.message ?? 'wrong form'}`;
    return { key, value: parsed.data, ...(headers === undefined ? {} : { headers }) };
  } catch (error) {
    return `not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}
