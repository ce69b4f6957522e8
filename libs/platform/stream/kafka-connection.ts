import { Kafka, logLevel, type SASLOptions } from 'kafkajs';

import { AppError } from '#kernel/errors';
import type { Log } from '#platform/telemetry';

export interface KafkaConnectionOptions {
  /** `host:port` of some brokers; the rest is learned from them. */
  brokers: readonly string[];
  tls?: boolean;
  /** SASL SCRAM-SHA-512. */
  username?: string | undefined;
  password?: string | undefined;
  log: Log;
}

/** A client of the cluster; nothing is sent yet. What the driver logs goes to the app's log. */
export function openKafka({ brokers, tls = false, username, password, log }: KafkaConnectionOptions): Kafka {
  const sasl: SASLOptions | undefined =
    username === undefined ? undefined : { mechanism: 'scram-sha-512', username, password: password ?? '' };
  return new Kafka({
    clientId: 'ratchet',
    brokers: [...brokers],
    ssl: tls,
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: 3_000,
    requestTimeout: 30_000,
    retry: { initialRetryTime: 100, maxRetryTime: 3_000, retries: 8 },
    logLevel: logLevel.WARN,
    logCreator: () => {
      const driver = log.with({ driver: 'kafkajs' });
      // Its errors are retried by it or thrown to the caller: here they explain a delay and no more.
      return ({ namespace, log: { message, error } }) =>
        driver.warn('stream.driver', { namespace, message, error });
    },
  });
}

/** @throws AppError store.unavailable in place of the driver's own error. */
export function brokersUnavailable(cause: unknown): AppError {
  return new AppError('store.unavailable', {
    public: 'The event stream does not answer. Send this again shortly.',
    cause,
  });
}
