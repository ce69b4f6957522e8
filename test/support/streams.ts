/** Both columns of the stream: in process, and on a real Kafka. */
import {
  EventLog,
  InProcessEventStream,
  KafkaEventLog,
  LogEventStream,
  type EventStream,
} from '#platform/stream';
import { SystemClock } from '#platform/runtime';
import { Log } from '#platform/telemetry';

import { kafkaAvailable, startKafka, type KafkaServer } from './kafka.js';
import { describeWhere } from './servers.js';

/** A log whose topics are this test's own, so that tests on one broker do not see each other. */
class PrefixedLog extends EventLog {
  constructor(
    private readonly log: EventLog,
    private readonly prefix: string,
  ) {
    super();
  }

  override append(topic: string, records: Parameters<EventLog['append']>[1]): Promise<void> {
    return this.log.append(this.prefix + topic, records);
  }

  override consume(options: Parameters<EventLog['consume']>[0]): ReturnType<EventLog['consume']> {
    return this.log.consume({
      ...options,
      topic: this.prefix + options.topic,
      group: this.prefix + options.group,
    });
  }

  override lag(topic: string, group: string): ReturnType<EventLog['lag']> {
    return this.log.lag(this.prefix + topic, this.prefix + group);
  }

  override close(): Promise<void> {
    return this.log.close();
  }
}

/** Declares one suite for both; `open` gives an empty stream with the topics, and all are closed after each test. */
export function describeOnEachStream(
  title: string,
  topicNames: readonly string[],
  suite: (open: () => Promise<EventStream>) => void,
): void {
  const opened: EventStream[] = [];
  const keep = (stream: EventStream): EventStream => {
    opened.push(stream);
    return stream;
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((stream) => stream.close()));
  };
  describe(`${title} in process`, () => {
    afterEach(closeAll);
    suite(() => Promise.resolve(keep(new InProcessEventStream())));
  });
  describeWhere(kafkaAvailable())(`${title} on a Kafka server`, () => {
    let kafka: KafkaServer;
    let made = 0;
    beforeAll(async () => {
      kafka = await startKafka();
    }, 180_000);
    afterEach(closeAll);
    afterAll(() => kafka.stop());
    suite(async () => {
      const prefix = `s${++made}-`;
      const log = new KafkaEventLog({
        brokers: kafka.brokers,
        log: Log.silent(),
        clock: new SystemClock(),
        consume: { maxWaitMs: 100 },
      });
      await log.ensureTopics(
        topicNames.map((name) => ({ name: prefix + name, partitions: 2, replicationFactor: 1, config: {} })),
      );
      return keep(new LogEventStream(new PrefixedLog(log, prefix), Log.silent()));
    });
  });
}
