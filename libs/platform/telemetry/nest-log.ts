import type { LoggerService } from '@nestjs/common';

import type { Log } from './log.js';

/** Nest's own messages as events of the process's log; its start-up chatter is debug. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.target.debug('nest.log', fieldsOf(message, rest));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error('nest.error', fieldsOf(message, rest));
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.target.warn('nest.warn', fieldsOf(message, rest));
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.target.debug('nest.debug', fieldsOf(message, rest));
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.target.debug('nest.verbose', fieldsOf(message, rest));
  }
}

/** Nest passes its context as the last argument, a stack before it. */
function fieldsOf(message: unknown, rest: readonly unknown[]): Record<string, unknown> {
  const context = rest.at(-1);
  const stack = rest.length > 1 ? rest[0] : undefined;
  return { ...(message instanceof Error ? { error: message } : { message }), context, stack };
}
