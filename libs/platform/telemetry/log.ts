import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { AppError } from '#kernel/errors';

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
type Fields = Record<string, unknown>;

/** Members that hold secrets, wherever they turn up; their values never reach a log. */
const SECRET_PATHS = ['authorization', 'apiKey', 'key', 'password', 'token', 'secret', 'cookie'].flatMap((name) => [name, `*.${name}`]);

/** Internal detail belongs in the log, and only there. */
function errorFields(error: unknown): unknown {
  if (error instanceof AppError) {
    const cause = error.cause instanceof Error ? error.cause.message : undefined;
    return { code: error.code, message: error.publicMessage, detail: error.detail, cause, stack: error.stack };
  }
  return error instanceof Error ? { message: error.message, stack: error.stack } : error;
}

/** Structured log on standard error: `log.info('bucket.created', { bucketId })`. */
export class Log implements LoggerService {
  private readonly logger: Logger;

  constructor(level: LogLevel, destination: { write(line: string): void } = process.stderr) {
    this.logger = pino({ level, redact: { paths: SECRET_PATHS, censor: '[redacted]' }, base: null }, destination);
  }

  debug(event: string, fields: unknown = {}): void {
    this.logger.debug(this.fieldsOf(fields), event);
  }

  info(event: string, fields: Fields = {}): void {
    this.logger.info(this.fieldsOf(fields), event);
  }

  warn(event: string, fields: unknown = {}): void {
    this.logger.warn(this.fieldsOf(fields), event);
  }

  error(event: string, fields: unknown = {}): void {
    this.logger.error(this.fieldsOf(fields), event);
  }

  /** Nest's own messages: start-up chatter is for debugging. */
  log(event: string, fields: unknown = {}): void {
    this.logger.debug(this.fieldsOf(fields), event);
  }

  private fieldsOf(fields: unknown): Fields {
    if (typeof fields !== 'object' || fields === null) return { context: fields };
    if (!('error' in fields)) return { ...fields };
    return { ...fields, error: errorFields(fields.error) };
  }
}

/** For tests that do not look at the log. */
export function silentLog(): Log {
  return new Log('silent');
}
