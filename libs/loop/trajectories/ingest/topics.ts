import { COMPLETED_TOPIC } from '#contracts/trajectory';
import { DEAD_LETTER_TOPIC, type TopicSettings } from '#platform/stream';
import { SPANS_TOPIC } from './span-message.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** A span that is still large after its big fields went to the artifacts goes alone in a message. */
const MAX_SPAN_MESSAGE_BYTES = 16 * 1024 * 1024;

export interface TopicScale {
  partitions: number;
  /** Brokers that keep each partition; one fewer must have a record before it counts as stored. */
  replicas: number;
}

/** Every topic with its settings; none is left to a broker's default. Times are how long a reader may be away. */
export function topicsOf({ partitions, replicas }: TopicScale): TopicSettings[] {
  const topic = (name: string, count: number, retentionDays: number, maxBytes: number): TopicSettings => ({
    name,
    partitions: count,
    replicationFactor: replicas,
    config: {
      'cleanup.policy': 'delete',
      'retention.ms': String(retentionDays * DAY_MS),
      'retention.bytes': '-1',
      'max.message.bytes': String(maxBytes),
      'min.insync.replicas': String(Math.max(1, replicas - 1)),
      'message.timestamp.type': 'LogAppendTime',
      'unclean.leader.election.enable': 'false',
    },
  });
  return [
    topic(SPANS_TOPIC, partitions, 7, MAX_SPAN_MESSAGE_BYTES),
    topic('facts.v1', partitions, 7, MAX_SPAN_MESSAGE_BYTES),
    topic(COMPLETED_TOPIC, partitions, 7, 1024 * 1024),
    // Few and precious: one partition, long kept.
    topic(DEAD_LETTER_TOPIC, 1, 30, MAX_SPAN_MESSAGE_BYTES),
  ];
}
