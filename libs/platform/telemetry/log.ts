import { pino, type DestinationStream, type Logger } from 'pino';

import { AppError } from '#kernel/errors';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

type Fields = Readonly<Record<string, unknown>>;

const SECRET_NAMES = [
  'authorization',
  'cookie',
  'password',
  'apiKey',
  'api_key',
  'token',
  'secret',
  'x-api-key',
  'set-cookie',
];

/** At the top and in the two levels below (a request's headers, a config's groups). */
const SECRET_PATHS = SECRET_NAMES.flatMap((name) => {
  const key = /^\w+$/.test(name) ? `.${name}` : `["${name}"]`;
  return [key.replace(/^\./, ''), `*${key}`, `*.*${key}`];
});

/** The process's log. `event` is a stable name (`bucket.created`), everything that varies is a field. */
export class Log {
  private constructor(private readonly logger: Logger) {}

  /** Writes JSON lines to standard error, or to `destination` in tests. */
  static create(level: LogLevel, destination: DestinationStream = process.stderr): Log {
    return new Log(
      pino(
        {
          level,
          base: null,
          messageKey: 'event',
          timestamp: () => `,"at":"${new Date().toISOString()}"`,
          formatters: { level: (label) => ({ level: label }) },
          redact: { paths: SECRET_PATHS, censor: '[redacted]' },
          serializers: { error: serializeError },
        },
        destination,
      ),
    );
  }

  /** A log that says nothing: for tests and command-line output that must stay clean. */
  static silent(): Log {
    return Log.create('silent');
  }

  /** The same log with `fields` on every line. */
  with(fields: Fields): Log {
    return new Log(this.logger.child(fields));
  }

  debug(event: string, fields: Fields = {}): void {
    this.logger.debug(fields, event);
  }

  info(event: string, fields: Fields = {}): void {
    this.logger.info(fields, event);
  }

  warn(event: string, fields: Fields = {}): void {
    this.logger.warn(fields, event);
  }

  error(event: string, fields: Fields = {}): void {
    this.logger.error(fields, event);
  }
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const app = error instanceof AppError ? { code: error.code, detail: error.detail } : {};
  return { name, message, ...app, stack, ...(cause === undefined ? {} : { cause: serializeError(cause) }) };
}
