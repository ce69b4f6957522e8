import { createInterface } from 'node:readline';

import type { z } from 'zod';

import { AppError } from '#kernel/errors';

const FORCED_EXIT_MS = 5_000;

/**
 * Child side: the settings the parent sends as the first line of standard input. From then on the end of standard input
 * means that the parent is gone, however it went, and this process ends too: by its own SIGTERM handler where it has
 * one, with a forced exit 5 s later.
 * @throws AppError `config.invalid` when the line is missing or does not fit the schema.
 */
export function readChildConfig<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
  const lines = createInterface({ input: process.stdin });
  return new Promise((resolve, reject) => {
    let seenConfig = false;
    lines.once('line', (line) => {
      seenConfig = true;
      try {
        resolve(schema.parse(JSON.parse(line)));
      } catch (error) {
        reject(
          new AppError('config.invalid', {
            public: 'The settings sent to this process do not fit.',
            cause: error,
          }),
        );
      }
    });
    lines.once('close', () => {
      if (!seenConfig)
        reject(new AppError('config.invalid', { public: 'No settings arrived on standard input.' }));
      else endWithParent();
    });
  });
}

function endWithParent(): void {
  setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
  if (process.listenerCount('SIGTERM') > 0) process.emit('SIGTERM', 'SIGTERM');
  else process.exit(0);
}

/** Child side: tells the parent that this process serves now; `fields` (port, version …) become `handle.ready`. */
export function announceReady(fields: Record<string, unknown> = {}): void {
  process.stdout.write(`${JSON.stringify({ ...fields, ready: true })}\n`);
}
