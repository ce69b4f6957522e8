import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import { AppError } from '#kernel/errors';
import { seededRng, type Rng } from '#kernel/random';
import type { ClickHouse } from '#platform/clickhouse';
import { projectRoot } from '#platform/runtime';
import { mutantsAFormat } from '../../../../test/support/fuzz.js';
import { assembleTrace } from '../domain/assemble.js';
import { maskJson } from '../domain/masking/mask-json.js';
import { maskSpan } from '../domain/masking/mask-span.js';
import { groupBy } from '../domain/json.js';
import { BadRow, type Format } from '../formats/format.js';
import { FORMATS } from '../formats/index.js';
import { request, startHttp } from '../testing/http.js';
import { mutateBytes, mutateValue } from '../testing/mutate.js';
import { agentTrace, exportRequest, traceIdOf } from '../testing/otlp.js';
import { protobufOf } from '../testing/protobuf.js';
import { startStore } from '../testing/store.js';
import { readBody } from './body.js';
import { decodeOtlp, encodeVerdict, type OtlpEncoding } from './otlp-wire.js';

const MUTANTS = mutantsAFormat();
const MUTANTS_SENT = 150;
const MAX_GROWTH_BYTES = 400 * 1024 * 1024;

const exported = exportRequest([...agentTrace({ trace: 1, outcome: 1 }), ...agentTrace({ trace: 2 })]);
const replace = (kind: string): string => `[secret:${kind}:000000000000]`;
const BODIES: Record<OtlpEncoding, Buffer> = {
  'application/json': Buffer.from(JSON.stringify(exported)),
  'application/x-protobuf': protobufOf(exported),
};

/** All that happens to a request between its bytes and the store, and to its traces after. */
function digest(body: Buffer, encoding: OtlpEncoding): 'taken' | 'refused' {
  try {
    const { spans, rejected } = decodeOtlp(body, encoding);
    encodeVerdict(rejected, encoding);
    const masked = spans.map((span) => maskSpan(span, replace));
    const stored = masked.map((span, at) => ({ ...span, receivedSeq: String(at + 1) }));
    for (const [traceId, trace] of groupBy(stored, (span) => span.traceId))
      JSON.stringify(assembleTrace({ projectId: 'p', traceId, spans: trace, captures: new Map() }));
    return 'taken';
  } catch (error) {
    if (error instanceof AppError && error.code === 'request.invalid') return 'refused';
    throw error;
  }
}

/** Both ends are met, or the mutants are too weak or too strong to tell anything. */
function expectBoth(verdicts: readonly ('taken' | 'refused')[]): void {
  expect(verdicts).toContain('taken');
  expect(verdicts).toContain('refused');
}

const mutants = (make: (rng: Rng) => 'taken' | 'refused', seed: number): ('taken' | 'refused')[] => {
  const rng = seededRng(seed);
  return Array.from({ length: MUTANTS }, () => make(rng));
};

const ROWS_A_FORMAT = 12;
const ROWS_A_FILE = 30;
const dataDir = join(projectRoot(), '..', 'shared', 'data');
const dataFiles = existsSync(dataDir)
  ? readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(jsonl?|traj)(\.gz)?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
  : [];
let recorded: unknown[] | undefined;

/** Real rows that the format knows, cut short, and made-up ones. */
function rowsOf(format: Format): unknown[] {
  recorded ??= [...dataFiles.flatMap(firstRows), ...madeUpRows()];
  return recorded.filter((row) => format.detects(row)).slice(0, ROWS_A_FORMAT);
}

/** One of each format that the files above have none of. */
function madeUpRows(): unknown[] {
  const spans = decodeOtlp(BODIES['application/json'], 'application/json').spans.slice(0, 4);
  const [run] = assembleTrace({
    projectId: 'p',
    traceId: traceIdOf(1),
    spans: spans.map((span, at) => ({ ...span, receivedSeq: String(at + 1) })),
    captures: new Map(),
  });
  const call = { tool_call_id: 'c1', function_name: 'find', arguments: { name: 'Ada' } };
  const results = [{ source_call_id: 'c1', content: '7' }];
  return [
    exported,
    { ...run, revision: 1 },
    {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ho' },
      ],
    },
    {
      schema_version: 'ATIF-v1.5',
      session_id: 's',
      agent: { name: 'a', version: '1', model_name: 'm' },
      steps: [
        { step_id: 1, source: 'user', message: 'hi' },
        { step_id: 2, source: 'agent', message: '', tool_calls: [call], observation: { results } },
      ],
      final_metrics: { total_prompt_tokens: 4, total_cost_usd: 0.1 },
    },
  ];
}

function firstRows(file: string): unknown[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const whole = parsed(text);
  const rows =
    whole === undefined
      ? text.split('\n').map(parsed)
      : Array.isArray(whole)
        ? (whole as unknown[])
        : [whole];
  return rows
    .filter((row) => row !== undefined)
    .slice(0, ROWS_A_FILE)
    .concat(Array.isArray(whole) ? [whole] : [])
    .map(shortened);
}

const MAX_ITEMS = 6;
const MAX_CHARS = 160;

/** The same shape with less in it: a mutation then meets the shape, not the bulk. */
function shortened(value: unknown): unknown {
  if (typeof value === 'string') {
    const inner = /^[[{]/.test(value) ? parsed(value) : undefined;
    return inner === undefined ? value.slice(0, MAX_CHARS) : JSON.stringify(shortened(inner));
  }
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).slice(0, MAX_ITEMS * 5);
  return Object.fromEntries(members.map(([key, member]) => [key, shortened(member)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

describe(`${MUTANTS} mutants a format, from bytes to assembled trajectories`, () => {
  const bytesBefore = process.memoryUsage.rss();

  it.each(Object.keys(BODIES) as OtlpEncoding[])('%s with broken bytes is taken or refused', (encoding) => {
    expectBoth(mutants((rng) => digest(mutateBytes(BODIES[encoding], rng), encoding), 11));
  });

  it('OTLP JSON with members of other types is taken or refused', () => {
    const make = (rng: Rng) =>
      digest(Buffer.from(JSON.stringify(mutateValue(exported, rng)) ?? ''), 'application/json');
    expectBoth(mutants(make, 12));
  });

  it('gzip with broken bytes is read or refused', async () => {
    const rng = seededRng(13);
    const whole = gzipSync(BODIES['application/x-protobuf']);
    const verdicts: ('taken' | 'refused')[] = [];
    for (let n = 0; n < MUTANTS; n++) {
      try {
        const body = await readBody(Readable.from([mutateBytes(whole, rng)]), {
          gzip: true,
          maxBytes: 1 << 20,
        });
        verdicts.push(digest(body, 'application/x-protobuf'));
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        verdicts.push('refused');
      }
    }
    expect(verdicts).toContain('refused');
  });

  const withRows = FORMATS.map((format) => ({ format, rows: rowsOf(format) }));

  for (const { format, rows } of withRows) {
    const test = rows.length > 0 ? it : it.skip;
    test(`rows of ${format.name} (${rows.length} to begin with) are read or refused`, () => {
      expectBoth(mutants((rng) => readMutant(mutateValue(rng.pick(rows), rng), format), 14));
    });
  }

  it('memory stays bounded', () => {
    expect(process.memoryUsage.rss() - bytesBefore).toBeLessThan(MAX_GROWTH_BYTES);
  });
});

function readMutant(row: unknown, format: Format): 'taken' | 'refused' {
  // As the file's reader: what is no JSON text never comes here.
  const value = maskJson(JSON.parse(JSON.stringify(row) ?? 'null') as unknown, replace);
  for (const other of FORMATS) other.detects(value);
  try {
    JSON.stringify(format.read(value));
    return 'taken';
  } catch (error) {
    if (error instanceof BadRow) return 'refused';
    throw error;
  }
}

describe('mutants sent to the receiver on a real store', () => {
  let clickhouse: ClickHouse;
  let closeStore: () => Promise<void>;
  let app: INestApplication | undefined;

  /** Members of one stream, each of 16 MB. Packed before there is a server: packing blocks it. */
  let bomb: Buffer;

  beforeAll(async () => {
    const part = gzipSync(Buffer.alloc(16 * 1024 * 1024, 32));
    bomb = Buffer.concat(Array.from({ length: 64 }, () => part));
    ({ clickhouse, close: closeStore } = await startStore());
    app = await startHttp(clickhouse, new ManualClock());
  });
  afterAll(async () => {
    await app?.close();
    await closeStore();
  });

  it('every one is answered 200 or 4xx with a problem, and the next whole request is taken', async () => {
    const rng = seededRng(15);
    const types = [
      'application/json',
      'application/x-protobuf',
      'text/plain',
      'application/JSON; charset=utf-8',
      '',
    ];
    const statuses = new Map<number, number>();
    for (let n = 0; n < MUTANTS_SENT; n++) {
      const path = rng.pick([
        '/v1/traces',
        '/otel/v1/traces',
        '/api/v1/import',
        '/api/v1/import?format=openai-chat',
      ]);
      const whole = rng.pick([
        ...Object.values(BODIES),
        Buffer.from(JSON.stringify(mutateValue(exported, rng)) ?? ''),
      ]);
      const gzip = rng.int(3) === 0;
      const answer = await request(app!, path, {
        project: 'fuzz',
        body: mutateBytes(gzip ? gzipSync(whole) : whole, rng),
        headers: { 'content-type': rng.pick(types), ...(gzip ? { 'content-encoding': 'gzip' } : {}) },
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status !== 200) expect(answer.type).toBe('application/problem+json');
    }
    expect(
      [...statuses.keys()].filter((status) => status !== 200 && (status < 400 || status >= 500)),
    ).toEqual([]);
    expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 415]));

    const answer = await request(app!, '/v1/traces', {
      project: 'whole',
      body: BODIES['application/json'],
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 200, json: {} });
  }, 60_000);

  it('100 MB and a bomb of 1 GB are refused before they are held', async () => {
    const before = process.memoryUsage.rss();
    const large = await request(app!, '/v1/traces', {
      project: 'large',
      body: Buffer.alloc(100 * 1024 * 1024, 32),
      headers: { 'content-type': 'application/json' },
    });
    expect(large).toMatchObject({ status: 413, type: 'application/problem+json' });
    const exploded = await request(app!, '/v1/traces', {
      project: 'large',
      body: bomb,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    });
    expect(exploded).toMatchObject({ status: 413, type: 'application/problem+json' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(MAX_GROWTH_BYTES + 3 * 100 * 1024 * 1024);
  }, 60_000);
});
