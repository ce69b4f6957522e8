/**
 * Ingest, from the first byte sent until everything can be queried, in one run on this machine:
 *   npm run bench:ingest [-- --payload A|B] [--traces 2000] [--rounds 3]
 * The receiver, its store and the sender share the machine, as they would on a laptop.
 */
import { parseArgs } from 'node:util';
import { payloadOf, type Payload, type PayloadName } from './ingest/payload.js';
import { measureRatchet, type Measured } from './ingest/ratchet.js';

const { values: options } = parseArgs({
  options: {
    payload: { type: 'string' },
    traces: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '3' },
  },
});

const LIMITS = { spansPerSecond: 20_000, rawShare: 0.5, diskMb: 4 };
/** Receivers are warm before the clock runs: a process is started once and receives for weeks. */
const WARM_UP_TRACES = 200;

const startNs = BigInt(Date.now() - 600_000) * 1_000_000n;
const make = (name: PayloadName, traces: number, seed: number): Payload =>
  payloadOf({ name, traces, seed, startNs });

const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** What a user's spans take; trajectories are what Ratchet makes of them once they are complete. */
const SPAN_TABLES = ['spans', 'span_messages', 'shared_texts', 'span_arrivals'];

function show(result: Measured): void {
  const { spans, bytes, queryableSeconds, acceptedSeconds, cpuSeconds, memoryMb, diskBytes } = result;
  console.log(
    [
      result.name.padEnd(24),
      `${Math.round(spans / queryableSeconds)} spans/s`,
      `${mb(bytes / queryableSeconds)} MB/s`,
      `accepted ${acceptedSeconds.toFixed(2)} s, queryable ${queryableSeconds.toFixed(2)} s`,
      `p50 ${result.latencyMsP50.toFixed(0)} ms, p99 ${result.latencyMsP99.toFixed(0)} ms`,
      cpuSeconds === null ? '' : `CPU ${cpuSeconds.toFixed(2)} s`,
      memoryMb === null ? '' : `memory ${memoryMb.idle.toFixed(0)} → at most ${memoryMb.peak.toFixed(0)} MB`,
    ].join('  '),
  );
  const tables = Object.entries(diskBytes);
  if (tables.length === 0) return;
  const total = tables
    .filter(([table]) => SPAN_TABLES.includes(table))
    .reduce((sum, [, size]) => sum + size, 0);
  console.log(
    `  on disk after merge, spans with their texts ${mb(total)} MB: ${tables.map(([table, size]) => `${table} ${mb(size)}`).join(', ')}`,
  );
}

async function run(name: PayloadName): Promise<void> {
  const traces = Number(options.traces);
  const payload = make(name, traces, 1);
  const warmUp = make(name, WARM_UP_TRACES, 2);
  console.log(
    `\npayload ${name}: ${payload.traces} traces, ${payload.spans} spans, ${mb(payload.bytes)} MB of OTLP protobuf`,
  );
  const rounds: Measured[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const measured = await measureRatchet(payload, warmUp);
    show(measured);
    rounds.push(measured);
  }
  const median = rounds.sort((a, b) => a.queryableSeconds - b.queryableSeconds)[
    Math.floor(rounds.length / 2)
  ];
  if (median === undefined) return;
  const rate = median.spans / median.queryableSeconds;
  const share = rate / median.rawSpansPerSecond;
  console.log(
    `  median ${Math.round(rate)} spans/s (limit ${LIMITS.spansPerSecond}), ${(100 * share).toFixed(0)} % of the raw insert's ${Math.round(median.rawSpansPerSecond)} (limit ${100 * LIMITS.rawShare} %); on disk the limit is ${LIMITS.diskMb} MB for A`,
  );
}

for (const name of ['A', 'B'] as const)
  if (options.payload === undefined || options.payload === name) await run(name);
