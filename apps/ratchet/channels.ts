import type { Clock } from '#kernel/clock';
import { StreamLink, topicsOf } from '#loop/trajectories';
import type { AppConfig } from '#platform/config';
import { BullMqJobQueue, InProcessJobQueue, type JobQueue } from '#platform/queue';
import { InProcessEventStream, KafkaEventLog, LogEventStream, type EventStream } from '#platform/stream';
import type { Log } from '#platform/telemetry';

export interface Channels {
  stream: EventStream;
  streamLink: StreamLink;
  queue: JobQueue;
}

/** The log of these settings, or null where everything runs in one process. */
export function openEventLog({ kafka }: AppConfig, clock: Clock, log: Log): KafkaEventLog | null {
  const { brokers, tls, username, password } = kafka;
  return brokers === undefined ? null : new KafkaEventLog({ brokers, tls, username, password, clock, log });
}

/** The ways between processes: Kafka and Redis where the settings name them, else within this process. */
export async function openChannels(config: AppConfig, clock: Clock, log: Log): Promise<Channels> {
  const queue =
    config.redis.url === undefined
      ? new InProcessJobQueue()
      : new BullMqJobQueue({ url: config.redis.url, log });
  const events = openEventLog(config, clock, log);
  if (events === null) return { stream: new InProcessEventStream(), streamLink: new StreamLink(null), queue };
  try {
    await events.ensureTopics(topicsOf(config.kafka));
  } catch (error) {
    await Promise.all([events.close(), queue.close()]);
    throw error;
  }
  return { stream: new LogEventStream(events, log), streamLink: new StreamLink(events), queue };
}
