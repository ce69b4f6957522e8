/** The embedded policy server, a child process: settings on standard input, ends when that ends. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

import { z } from 'zod';

import { messageOf } from '#kernel/errors';
import { announceReady, readChildConfig } from '#platform/process';
import { IdSource, SystemClock } from '#platform/runtime';

import { BatchScheduler } from './batch-scheduler.js';
import { ChatTemplate } from './chat-template.js';
import { LoadedModels } from './loaded-models.js';
import { policyHttpServer } from './policy-http.js';
import { PolicyTokenizer } from './tokenizer.js';

const ServerConfig = z.object({
  policyDir: z.string(),
  key: z.string().min(16),
  baseName: z.string().optional(),
  threads: z.number().int().positive(),
  maxBatch: z.number().int().positive(),
  maxPending: z.number().int().positive(),
});

async function main(): Promise<void> {
  const config = await readChildConfig(ServerConfig);
  const tokenizer = PolicyTokenizer.load(config.policyDir);
  const scheduler = new BatchScheduler({
    stopId: tokenizer.stopId,
    maxBatch: config.maxBatch,
    maxPending: config.maxPending,
  });
  const models = await LoadedModels.open(config.policyDir, {
    scheduler,
    threads: config.threads,
    baseName: config.baseName,
  });
  const clock = new SystemClock();
  const ids = new IdSource(clock);
  const server = policyHttpServer({
    key: config.key,
    models,
    chat: {
      tokenizer,
      template: ChatTemplate.load(config.policyDir),
      scheduler,
      card: models.card,
      newId: () => ids.newId(),
      nowMs: () => clock.nowMs(),
    },
    onError: (error) => process.stderr.write(`${describe(error)}\n`),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.once('SIGTERM', () => process.exit(0));
  announceReady({ port: (server.address() as AddressInfo).port, model: models.list()[0]?.id });
}

/** On one line, with what caused it: for the parent's log. */
function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  return `${messageOf(error)}${cause}`.replaceAll('\n', ' ');
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exit(1);
});
