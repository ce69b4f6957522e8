import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import type { INestApplication } from '@nestjs/common';
import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { request, startHttp, type Answer } from '../testing/http.js';
import { agentTrace, exportRequest, spanIdOf, traceIdOf } from '../testing/otlp.js';
import { protobufOf } from '../testing/protobuf.js';
import { stageOn, startStore } from '../testing/store.js';
import { MAX_OTLP_BYTES } from './body.js';
import { ExportTraceServiceResponse } from './otlp-protobuf.js';

const PATHS = [
  '/v1/traces',
  '/api/public/otel/v1/traces',
  '/otel/v1/traces',
  '/api/v1/private/otel/v1/traces',
];
let clickhouse: ClickHouse;
let closeStore: () => Promise<void>;
let app: INestApplication;
let projects = 0;

beforeAll(async () => {
  ({ clickhouse, close: closeStore } = await startStore());
  app = await startHttp(clickhouse, new ManualClock());
});
afterAll(async () => {
  await app.close();
  await closeStore();
});

const freshProject = (): string => `p-${(projects += 1)}`;
const post = (
  project: string,
  body: string | Buffer,
  type: string,
  more: { encoding?: string; path?: string } = {},
): Promise<Answer> =>
  request(app, more.path ?? PATHS[0]!, {
    project,
    body,
    headers: {
      'content-type': type,
      ...(more.encoding === undefined ? {} : { 'content-encoding': more.encoding }),
    },
  });
const spansOf = async (projectId: string) => (await stageOn(clickhouse).trajectories.stats(projectId)).spans;

/** A log record (time, body) in the messages that it shares with spans. */
function logsExport(): Buffer {
  const within = (field: number, bytes: Uint8Array): Uint8Array =>
    protobuf.Writer.create()
      .uint32((field << 3) | 2)
      .bytes(bytes)
      .finish();
  const record = protobuf.Writer.create()
    .uint32(9)
    .fixed64('1700000000000000000')
    .uint32(42)
    .bytes(within(1, Buffer.from('hi')));
  return Buffer.from(within(1, within(2, within(2, record.finish()))));
}

describe('the OTLP receiver', () => {
  it.each(PATHS)('stores JSON and protobuf, plain and compressed, before it answers: %s', async (path) => {
    const exported = exportRequest(agentTrace({ trace: 1, outcome: 1 }));
    const bodies = {
      'application/json': Buffer.from(JSON.stringify(exported)),
      'application/x-protobuf': protobufOf(exported),
    };
    const stored = [];
    for (const [type, body] of Object.entries(bodies)) {
      for (const gzip of [false, true]) {
        const projectId = freshProject();
        const answer = await post(projectId, gzip ? gzipSync(body) : body, type, {
          path,
          ...(gzip ? { encoding: 'gzip' } : {}),
        });
        expect([answer.status, answer.type]).toEqual([200, type]);
        expect(await spansOf(projectId)).toBe(4);
        const spans = await stageOn(clickhouse).spans.ofTraces(projectId, [traceIdOf(1)]);
        stored.push(
          spans
            .get(traceIdOf(1))!
            .map(({ receivedSeq: _seq, ...span }) => span)
            .sort((a, b) => (a.spanId < b.spanId ? -1 : 1)),
        );
      }
    }
    expect(stored[1]).toEqual(stored[0]);
    expect(stored[2]).toEqual(stored[0]);
    expect(stored[3]).toEqual(stored[0]);
  });

  it('takes the good spans of a request and says how many it did not take and why', async () => {
    const projectId = freshProject();
    const spans = [
      ...agentTrace({ trace: 2 }),
      { traceId: 'zz', spanId: spanIdOf(29) },
      { traceId: '', spanId: '' },
    ];
    const answer = await post(projectId, JSON.stringify(exportRequest(spans)), 'application/json');
    expect(answer).toMatchObject({
      status: 200,
      json: {
        partialSuccess: {
          rejectedSpans: '2',
          errorMessage: expect.stringMatching(/traceId is not 32 hex digits; traceId is missing/) as string,
        },
      },
    });
    expect(await spansOf(projectId)).toBe(4);

    const binary = await post(
      projectId,
      protobufOf(exportRequest([{ traceId: '', spanId: '' }])),
      'application/x-protobuf',
    );
    const verdict = ExportTraceServiceResponse.toObject(ExportTraceServiceResponse.decode(binary.bytes), {
      longs: Number,
    });
    expect(verdict).toMatchObject({ partialSuccess: { rejectedSpans: 1 } });
  });

  it('answers what it cannot take with a problem that says what to do', async () => {
    const json = 'application/json';
    const bomb = gzipSync(Buffer.alloc(MAX_OTLP_BYTES * 20, 32));
    const cases: [number, RegExp, Promise<Answer>][] = [
      [415, /send application\/x-protobuf or application\/json/, post('bad', 'x', 'text/plain')],
      [415, /gzip or none/, post('bad', 'x', json, { encoding: 'br' })],
      [400, /not JSON/, post('bad', '{"resourceSpans": [', json)],
      [400, /no resourceSpans/, post('bad', '{"spans": []}', json)],
      [400, /\/v1\/logs/, post('bad', '{"resourceLogs": []}', json)],
      [400, /\/v1\/logs/, post('bad', logsExport(), 'application/x-protobuf')],
      [400, /not an OTLP protobuf/, post('bad', 'hello', 'application/x-protobuf')],
      [400, /gzip/, post('bad', 'not gzip', json, { encoding: 'gzip' })],
      [413, /16 MiB/, post('bad', bomb, json, { encoding: 'gzip' })],
      [413, /16 MiB/, post('bad', Buffer.alloc(MAX_OTLP_BYTES + 1, 32), json)],
    ];
    for (const [status, detail, sent] of cases) {
      const answer = await sent;
      expect(answer).toMatchObject({
        status,
        type: 'application/problem+json',
        json: { detail: expect.stringMatching(detail) as string },
      });
    }
    expect(await spansOf('bad')).toBe(0);
  });

  it('takes an empty export, which exporters send to probe', async () => {
    for (const body of ['{"resourceSpans":[]}', '{"resourceSpans":null}', '{}'])
      expect(await post('empty', body, 'application/json')).toMatchObject({ status: 200, json: {} });
    expect(await post('empty', Buffer.alloc(0), 'application/x-protobuf')).toMatchObject({ status: 200 });
  });
});
