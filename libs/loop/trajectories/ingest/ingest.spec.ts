import { ManualClock } from '#kernel/clock';
import type { ClickHouse } from '#platform/clickhouse';
import { SystemClock } from '#platform/runtime';
import { DEAD_LETTER_TOPIC, KafkaEventLog, replayDeadLetters, type LogRange } from '#platform/stream';
import { Log, Metrics } from '#platform/telemetry';
import { eventually } from '../../../../test/support/eventually.js';
import { kafkaAvailable, startKafka, type KafkaServer } from '../../../../test/support/kafka.js';
import { describeWhere } from '../../../../test/support/servers.js';
import type { Span } from '../domain/span.js';
import { MaskingKey } from '../masking/masking-key.js';
import { SecretMasker } from '../masking/secret-masker.js';
import { agentTrace, exportRequest, spanIdOf, traceIdOf } from '../testing/otlp.js';
import { stageOn, startStore } from '../testing/store.js';
import { decodeExportRequest } from '../domain/otlp.js';
import { IngestMetrics } from './ingest-metrics.js';
import { INGEST_GROUP, SpanIngest } from './span-ingest.js';
import { decodeSpans, encodeSpans, MAX_MESSAGE_BYTES, SPANS_TOPIC } from './span-message.js';
import { StreamSpanIntake } from './stream-span-intake.js';
import { IngestProgress } from './stream-progress.js';
import { topicsOf } from './topics.js';

const PROJECT = 'p';
const traceSpans = (trace: number): Span[] => decodeExportRequest(exportRequest(agentTrace({ trace }))).spans;
const bigSpan = (n: number, bytes: number): Span => ({
  ...(traceSpans(1)[0] as Span),
  spanId: spanIdOf(n),
  attributes: { text: 'ü'.repeat(bytes / 2) },
});
const badSpan = (trace: number): Span => ({
  ...(traceSpans(trace)[0] as Span),
  spanId: spanIdOf(99),
  startNs: 'soon',
});

describe('messages of spans', () => {
  it('hold one trace each, come back equal, and stay within their size unless a span alone is larger', () => {
    const spans = [
      ...traceSpans(1),
      ...traceSpans(2),
      bigSpan(7, 400_000),
      bigSpan(8, 400_000),
      bigSpan(9, 900_000),
    ];
    const records = encodeSpans(PROJECT, spans);
    expect(records.map(({ key }) => key)).toEqual([...Array<string>(3).fill(traceIdOf(1)), traceIdOf(2)]);
    const decoded = records.flatMap(({ value }) => decodeSpans(value));
    expect(decoded.map(({ span }) => span)).toEqual(expect.arrayContaining(spans));
    expect(decoded).toHaveLength(spans.length);
    const tooLarge = records.filter(({ value }) => value.byteLength > MAX_MESSAGE_BYTES + 100);
    expect(tooLarge.map(({ value }) => decodeSpans(value).length)).toEqual([1]);
  });
});

describe('the ingest of a range', () => {
  let clickhouse: ClickHouse;
  let close: () => Promise<void>;
  const clock = new ManualClock();
  beforeAll(async () => {
    ({ clickhouse, close } = await startStore());
  });
  afterAll(() => close());

  const sent: { topic: string; reason: string | undefined; value: Uint8Array }[] = [];
  const log = {
    append: (topic: string, records: { value: Uint8Array; headers?: Record<string, string> }[]) =>
      Promise.resolve(
        void sent.push(
          ...records.map(({ value, headers }) => ({ topic, value, reason: headers?.['ratchet-reason'] })),
        ),
      ),
  } as unknown as KafkaEventLog;
  const ingestOn = (): SpanIngest => {
    const { spans } = stageOn(clickhouse, clock);
    return new SpanIngest({
      log,
      spans,
      clock,
      metrics: new IngestMetrics(new Metrics()),
      reports: Log.silent(),
    });
  };
  const rangeOf = (spans: readonly Span[], token: string): LogRange => ({
    topic: SPANS_TOPIC,
    partition: 0,
    token,
    plannedMs: clock.nowMs(),
    records: encodeSpans(PROJECT, spans).map((record, index) => ({
      ...record,
      offset: BigInt(index),
      timestampMs: clock.nowMs(),
    })),
  });
  const count = async (table: string, traces: readonly number[]): Promise<number> => {
    const list = traces.map((trace) => `'${traceIdOf(trace)}'`).join(',');
    const result = await clickhouse.client.query({
      query: `SELECT count() AS n FROM ${table} WHERE trace_id IN (${list})`,
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ n: string }>();
    return Number(row?.n);
  };

  it('leaves one copy when it comes again, and makes good what a kill kept from the view', async () => {
    const range = rangeOf([...traceSpans(10), ...traceSpans(11)], 'spans.v1:0:0-1:5');
    await ingestOn().store(range);
    expect([await count('spans', [10, 11]), await count('span_arrivals', [10, 11])]).toEqual([8, 2]);
    await clickhouse.command('TRUNCATE TABLE span_arrivals');
    clock.advance(30_000);
    await ingestOn().store(range);
    // Not even the table behind the view holds a second copy: the token was known.
    expect([await count('spans', [10, 11]), await count('span_arrivals', [10, 11])]).toEqual([8, 2]);
  });

  it('stores each span once when it comes again later than any token is trusted', async () => {
    const range = rangeOf(traceSpans(12), 'spans.v1:0:2-2:5');
    await ingestOn().store(range);
    clock.advance(3_600_000);
    await ingestOn().store(range);
    expect(await count('spans_once', [12])).toBe(4);
  });

  it('sets the rows aside that the store refuses, and stores all others', async () => {
    sent.length = 0;
    const range = rangeOf([...traceSpans(13), badSpan(13), ...traceSpans(14)], 'spans.v1:0:3-4:5');
    await ingestOn().store(range);
    await ingestOn().store(range);
    expect(await count('spans', [13, 14])).toBe(8);
    expect(sent.map(({ topic }) => topic)).toEqual([DEAD_LETTER_TOPIC, DEAD_LETTER_TOPIC]);
    expect(sent[0]?.reason).toMatch(/start_ns|soon/);
    expect(decodeSpans(sent[0]?.value ?? new Uint8Array()).map(({ span }) => span.spanId)).toEqual([
      spanIdOf(99),
    ]);
  });
});

describeWhere(kafkaAvailable())('spans through a Kafka server', () => {
  let kafka: KafkaServer;
  let clickhouse: ClickHouse;
  let close: () => Promise<void>;
  const opened: KafkaEventLog[] = [];
  const clock = new SystemClock();
  const open = (): KafkaEventLog => {
    const log = new KafkaEventLog({
      brokers: kafka.brokers,
      clock,
      log: Log.silent(),
      consume: { maxWaitMs: 100, sessionTimeoutMs: 6_000 },
    });
    opened.push(log);
    return log;
  };

  beforeAll(async () => {
    [kafka, { clickhouse, close }] = await Promise.all([startKafka(), startStore()]);
    await open().ensureTopics(topicsOf({ partitions: 4, replicas: 1 }));
  }, 180_000);
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((log) => log.close()));
  });
  afterAll(async () => {
    await close();
    await kafka.stop();
  });

  const counts = async (): Promise<{ spans: number; ids: number; traces: number }> => {
    const query = `SELECT count() AS spans, uniqExact(trace_id, span_id) AS ids, uniqExact(trace_id) AS traces
                   FROM spans_once WHERE project_id = '${PROJECT}'`;
    const [row] = await (
      await clickhouse.client.query({ query, format: 'JSONEachRow' })
    ).json<Record<string, string>>();
    return { spans: Number(row?.['spans']), ids: Number(row?.['ids']), traces: Number(row?.['traces']) };
  };
  const startIngest = async (log: KafkaEventLog): Promise<void> => {
    const { spans } = stageOn(clickhouse);
    const metrics = new IngestMetrics(new Metrics());
    const ingest = new SpanIngest({ log, spans, clock, metrics, reports: Log.silent() });
    await log.consume({ topic: SPANS_TOPIC, group: INGEST_GROUP, handler: (range) => ingest.store(range) });
  };

  it('are stored once each while their ingest is replaced, and a refused one comes back by a replay', async () => {
    const log = open();
    const intake = new StreamSpanIntake(
      new SecretMasker(MaskingKey.ephemeral()),
      stageOn(clickhouse).bigFields,
      log,
    );
    for (let trace = 100; trace < 150; trace++) await intake.accept(PROJECT, traceSpans(trace));
    await intake.accept(PROJECT, [badSpan(100)]);
    expect(await new IngestProgress(log).behindMs()).toBe(Infinity);
    const first = open();
    await startIngest(first);
    const second = open();
    await startIngest(second);
    for (let trace = 150; trace < 200; trace++) await intake.accept(PROJECT, traceSpans(trace));
    await first.close();
    await eventually('all are stored', async () => (await counts()).spans >= 400, 60_000);
    expect(await counts()).toEqual({ spans: 400, ids: 400, traces: 100 });
    await eventually('nothing waits', async () => (await new IngestProgress(log).behindMs()) === 0);
    // Once more than once where its range moved to the other ingest before it was done.
    const replayed = await replayDeadLetters(log);
    expect(replayed.unknown).toBe(0);
    expect(replayed.sent).toBeGreaterThanOrEqual(1);
  }, 120_000);

  it('of a trace with very many do not keep the others waiting for all of it', async () => {
    const log = open();
    const intake = new StreamSpanIntake(
      new SecretMasker(MaskingKey.ephemeral()),
      stageOn(clickhouse).bigFields,
      log,
    );
    const [model] = traceSpans(500) as [Span];
    const hot = Array.from({ length: 20_000 }, (_, n) => ({
      ...model,
      spanId: n.toString(16).padStart(16, '0'),
    }));
    for (let from = 0; from < hot.length; from += 2_000)
      await intake.accept('hot', hot.slice(from, from + 2_000));
    for (let trace = 600; trace < 640; trace++) await intake.accept('other', traceSpans(trace));
    await startIngest(open());
    const stored = async (project: string): Promise<number> => {
      const query = `SELECT count() AS n FROM spans_once WHERE project_id = '${project}'`;
      const [row] = await (
        await clickhouse.client.query({ query, format: 'JSONEachRow' })
      ).json<{ n: string }>();
      return Number(row?.n);
    };
    await eventually('the others are there', async () => (await stored('other')) === 160);
    await eventually('the hot trace is there', async () => (await stored('hot')) === 20_000, 60_000);
  }, 120_000);
});
