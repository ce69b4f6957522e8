/** Runs Ratchet in the foreground: `npm start`. Standard output carries the one line that scripts wait for. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError, messageOf } from '#kernel/errors';
import { loadConfig } from '#platform/config';
import { startRatchet, type Started } from './start.js';

const distDir = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const say = (text: string): void => {
  process.stderr.write(`ratchet: ${text}\n`);
};

function endOn(started: Started): void {
  let ending = false;
  const end = (signal: string): void => {
    if (ending) {
      say('ending at once');
      process.exit(1);
    }
    ending = true;
    say(`${signal}: ending (once more ends at once)`);
    started.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        say(`ending failed: ${messageOf(error)}`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal));
  void started.runtime.clickhouse.engineExited?.then(() => {
    if (!ending) end('the trajectory store ended');
  });
  void started.runtime.policyServer.exited.then(() => {
    if (!ending) end('the policy server ended');
  });
}

try {
  const started = await startRatchet({ config: loadConfig(), say, distDir });
  endOn(started);
  process.stdout.write(`Ratchet is ready at ${started.url}\n`);
} catch (error) {
  say(
    error instanceof AppError
      ? error.publicMessage
      : `it could not start: ${error instanceof Error ? error.stack : String(error)}`,
  );
  process.exit(1);
}
