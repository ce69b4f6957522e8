/** Ratchet itself under a load: how fast everything sent can be queried, what it costs, and what it leaves on disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ChUInt, ClickHouse, defineQuery } from '#platform/clickhouse';
import { cpuOfTreeSeconds, memoryOfTreeMb, startApp, type AppProcess } from '../app-process.js';
import type { Payload } from './payload.js';
import { rawInsertRate } from './raw-insert.js';
import { sendAll, type SendResult } from './send.js';

export interface Measured {
  name: string;
  spans: number;
  bytes: number;
  acceptedSeconds: number;
  queryableSeconds: number;
  /** CPU of the receiver and all its children; null where it was not taken. */
  cpuSeconds: number | null;
  latencyMsP50: number;
  latencyMsP99: number;
  /** After merging, by table; the warm-up is in it. */
  diskBytes: Record<string, number>;
  /** The same rows through the same client, nothing else. */
  rawSpansPerSecond: number;
  memoryMb: { idle: number; peak: number } | null;
}

const POLL_MS = 20;
const GIVE_UP_MS = 10 * 60_000;
const CONNECTIONS = 4;

export const tableSizes = defineQuery({
  name: 'bench.tableSizes',
  params: z.object({}),
  row: z.object({ name: z.string(), bytes: ChUInt }),
  sql: `SELECT table AS name, sum(bytes_on_disk) AS bytes FROM system.parts
        WHERE active AND database = currentDatabase() AND table != 'schema_migrations' GROUP BY name ORDER BY bytes DESC`,
});

/** Resolves when `count` says that all are there. */
export async function untilCount(expected: number, count: () => Promise<number>): Promise<void> {
  const end = performance.now() + GIVE_UP_MS;
  for (;;) {
    const found = await count();
    if (found >= expected) return;
    if (performance.now() > end) throw new Error(`only ${found} of ${expected} can be queried`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A fresh Ratchet on a folder of its own, one load, and its end. */
export async function measureRatchet(payload: Payload, warmUp: Payload): Promise<Measured> {
  const home = mkdtempSync(join(tmpdir(), 'ratchet-ingest-'));
  try {
    const app = await startApp(['node', 'dist/apps/ratchet/main.js'], process.cwd(), {
      RATCHET_HOME: home,
      RATCHET_TRAIN: 'off',
      RATCHET_DEMO: 'off',
      RATCHET_SCHEDULE: 'off',
    });
    const live = await measureApp(app, payload, warmUp).finally(() => app.stop());
    return { ...live, ...(await stored(home)) };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function measureApp(
  app: AppProcess,
  payload: Payload,
  warmUp: Payload,
): Promise<Omit<Measured, 'diskBytes' | 'rawSpansPerSecond'>> {
  const url = `${app.url}/v1/traces`;
  const spansNow = async (): Promise<number> => (await app.get<{ spans: number }>('/api/v1/stats')).spans;
  await sendAll({ url, bodies: warmUp.bodies, connections: CONNECTIONS });
  await untilCount(warmUp.spans, spansNow);
  const idle = memoryOfTreeMb(app.pid);
  let peak = idle;
  const watch = setInterval(() => (peak = Math.max(peak, memoryOfTreeMb(app.pid))), 250);
  const cpuBefore = cpuOfTreeSeconds(app.pid);
  const started = performance.now();
  const sending = async (): Promise<{ sent: SendResult; queryableSeconds: number }> => {
    const sent = await sendAll({ url, bodies: payload.bodies, connections: CONNECTIONS });
    await untilCount(warmUp.spans + payload.spans, spansNow);
    return { sent, queryableSeconds: (performance.now() - started) / 1000 };
  };
  const { sent, queryableSeconds } = await sending().finally(() => clearInterval(watch));
  const at = (share: number): number => sent.latenciesMs[Math.floor(sent.latenciesMs.length * share)] ?? 0;
  return {
    name: 'Ratchet',
    spans: payload.spans,
    bytes: payload.bytes,
    acceptedSeconds: sent.seconds,
    queryableSeconds,
    cpuSeconds: cpuOfTreeSeconds(app.pid) - cpuBefore,
    latencyMsP50: at(0.5),
    latencyMsP99: at(0.99),
    memoryMb: { idle, peak },
  };
}

async function stored(home: string): Promise<Pick<Measured, 'diskBytes' | 'rawSpansPerSecond'>> {
  const clickhouse = await ClickHouse.startEmbedded({ homeDir: home });
  try {
    const rawSpansPerSecond = await rawInsertRate(clickhouse);
    const tables = (await clickhouse.query(tableSizes, {})).map(({ name }) => name);
    for (const table of tables) await clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`);
    const sizes = await clickhouse.query(tableSizes, {});
    return {
      rawSpansPerSecond,
      diskBytes: Object.fromEntries(sizes.map(({ name, bytes }) => [name, bytes])),
    };
  } finally {
    await clickhouse.close();
  }
}
