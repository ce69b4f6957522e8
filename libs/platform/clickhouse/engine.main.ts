/** The embedded ClickHouse: the engine as a child process behind ClickHouse's HTTP interface on loopback. */
import type { AddressInfo } from 'node:net';

import { z } from 'zod';

import { announceReady, readChildConfig } from '#platform/process';

import { createEngineServer } from './engine-http.js';
import { EngineLane } from './engine-lane.js';

const MIB = 1024 * 1024;

/** Sized for a laptop: caches that a server fills to gigabytes stay small, and two background threads are enough. */
const CONNECTION_ARGS = [
  '--async_load_databases=0',
  '--background_pool_size=2',
  `--max_server_memory_usage=${1024 * MIB}`,
  `--mark_cache_size=${32 * MIB}`,
  `--primary_index_cache_size=${16 * MIB}`,
  `--index_mark_cache_size=${8 * MIB}`,
  `--vector_similarity_index_cache_size=${32 * MIB}`,
  `--text_index_tokens_cache_size=${8 * MIB}`,
  `--text_index_header_cache_size=${8 * MIB}`,
  `--text_index_postings_cache_size=${16 * MIB}`,
  `--query_condition_cache_size=${8 * MIB}`,
  `--compiled_expression_cache_size=${16 * MIB}`,
  '--max_threads=2',
  '--max_insert_threads=1',
];

const configSchema = z.object({
  dataDir: z.string(),
  user: z.string(),
  password: z.string().min(16),
});

const config = await readChildConfig(configSchema);
const writes = new EngineLane(config.dataDir, CONNECTION_ARGS);
const reads = new EngineLane(config.dataDir, CONNECTION_ARGS);
const version = await firstValue(reads, 'SELECT version()');

const server = createEngineServer({ user: config.user, password: config.password, version, writes, reads });
server.listen(0, '127.0.0.1', () => announceReady({ port: (server.address() as AddressInfo).port, version }));

let isStopping = false;
const stop = (): void => {
  if (isStopping) return;
  isStopping = true;
  server.close();
  server.closeIdleConnections();
  void Promise.all([writes.close(), reads.close()]).then(() => process.exit(0));
};
process.on('SIGTERM', stop);
process.on('SIGINT', stop);

async function firstValue(lane: EngineLane, sql: string): Promise<string> {
  const noValues: ReadonlyMap<string, string> = new Map();
  const result = await lane.run({
    sql,
    format: 'TabSeparated',
    database: 'default',
    settings: noValues,
    params: noValues,
  });
  return Buffer.from(result?.bytes ?? [])
    .toString('utf8')
    .trim();
}
