import type { EventLog, LogRange, LogRecord, StoredRecord } from './event-log.js';

/** What could not be dealt with, as it was, with where it came from and why. */
export const DEAD_LETTER_TOPIC = 'dlq.v1';

const HEADER = { topic: 'ratchet-topic', position: 'ratchet-position', reason: 'ratchet-reason' } as const;
const MAX_REASON_LENGTH = 500;

export interface DeadLetterSource {
  range: Pick<LogRange, 'topic' | 'partition'>;
  record: StoredRecord;
  reason: string;
  /** The part of the record that was refused; default: all of it. */
  value?: Uint8Array;
}

/** The record for the dead letters: the same key and bytes, the rest in headers. */
export function deadLetter({ range, record, reason, value = record.value }: DeadLetterSource): LogRecord {
  return {
    key: record.key,
    value,
    headers: {
      ...record.headers,
      [HEADER.topic]: range.topic,
      [HEADER.position]: `${range.partition}:${record.offset}`,
      [HEADER.reason]: reason.slice(0, MAX_REASON_LENGTH),
    },
  };
}

export interface Replayed {
  /** Records sent again to the topic they came from. */
  sent: number;
  /** Records that do not say where they came from: left where they are. */
  unknown: number;
}

const REPLAY_GROUP = 'replay-dlq';

/**
 * Sends the dead letters again to where they came from, those that are there now: what is refused once more comes back as a
 * new one and waits for the next call. Sent at least once; the readers know repetitions.
 */
export async function replayDeadLetters(log: EventLog): Promise<Replayed> {
  const result: Replayed = { sent: 0, unknown: 0 };
  let open = new Map<number, number>();
  const lag = await log.lag(DEAD_LETTER_TOPIC, REPLAY_GROUP);
  open = new Map(
    lag.filter(({ records }) => records > 0).map(({ partition, records }) => [partition, records]),
  );
  if (open.size === 0) return result;
  const ended = new Promise<void>((resolve, reject) => {
    const handler = async (range: LogRange): Promise<void> => {
      const left = open.get(range.partition) ?? 0;
      // Letters that came after the call began are for the next one: refusing their range leaves it where it is.
      if (left <= 0) return Promise.reject(new Error('arrived after the replay began'));
      await resend(log, range.records, result);
      open.set(range.partition, left - range.records.length);
      if ([...open.values()].every((count) => count <= 0)) resolve();
    };
    log.consume({ topic: DEAD_LETTER_TOPIC, group: REPLAY_GROUP, handler }).then((consumption) => {
      void ended.finally(() => consumption.stop());
    }, reject);
  });
  await ended;
  return result;
}

async function resend(log: EventLog, records: readonly StoredRecord[], result: Replayed): Promise<void> {
  const byTopic = new Map<string, LogRecord[]>();
  for (const { key, value, headers } of records) {
    const topic = headers?.[HEADER.topic];
    if (topic === undefined) {
      result.unknown += 1;
      continue;
    }
    const kept = Object.entries(headers ?? {}).filter(
      ([name]) => !Object.values<string>(HEADER).includes(name),
    );
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), { key, value, headers: Object.fromEntries(kept) }]);
  }
  for (const [topic, again] of byTopic) {
    await log.append(topic, again);
    result.sent += again.length;
  }
}
