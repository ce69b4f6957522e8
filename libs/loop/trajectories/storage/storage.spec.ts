import fc from 'fast-check';
import { contentHash } from '#kernel/ids';
import type { Span } from '../domain/span.js';
import { agentTrace, exportRequest, traceIdOf } from '../testing/otlp.js';
import { decodeExportRequest } from '../domain/otlp.js';
import { artifactsOf, stageOn, startStore } from '../testing/store.js';
import type { ClickHouse } from '#platform/clickhouse';
import { joinList, HistorySplitter } from './history-splitter.js';
import { MAX_FIELD_CHARS } from './big-fields.js';

const json = (space: ',' | ', ') => (value: unknown) =>
  space === ','
    ? JSON.stringify(value)
    : `[${(value as unknown[]).map((item) => JSON.stringify(item)).join(', ')}]`;

describe('lists in parts', () => {
  it('join to the same text to the byte, also those that grew from another', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.array(fc.jsonValue()),
        fc.constantFrom(',' as const, ', ' as const),
        (start, more, space) => {
          const splitter = new HistorySplitter();
          for (const list of [start, [...start, ...more], [...start, 'x', ...more]]) {
            const text = json(space)(list);
            const split = splitter.split(text, 'story');
            expect(split?.parts.map((part) => JSON.parse(part) as unknown)).toEqual(
              JSON.parse(text) as unknown,
            );
            expect(joinList(split!)).toBe(text);
          }
        },
      ),
    );
  });

  it('any other text is left alone, or joins to itself', () => {
    fc.assert(
      fc.property(fc.string(), (inner) => {
        const split = new HistorySplitter().split(`[${inner}]`, 'story');
        if (split !== null) expect(joinList(split)).toBe(`[${inner}]`);
      }),
    );
    for (const text of ['[]', '[ 1]', '[1 ]', '[1, 2,3]', '[1', '{"a":1}', '["a]', '[1}]', ''])
      expect(new HistorySplitter().split(text, 'story')).toBeNull();
  });
});

describe('on a store', () => {
  let clickhouse: ClickHouse;
  let close: () => Promise<void>;

  beforeAll(async () => {
    ({ clickhouse, close } = await startStore());
  });
  afterAll(() => close());

  const rowsOf = async (sql: string): Promise<Record<string, unknown>[]> =>
    (await clickhouse.client.query({ query: sql, format: 'JSONEachRow' })).json();
  const sent = (spans: readonly Parameters<typeof exportRequest>[0][number][]): Span[] =>
    decodeExportRequest(exportRequest(spans)).spans;
  const withoutPlace = (spans: readonly object[]): unknown[] =>
    spans
      .map((span) => ({ ...span, receivedSeq: undefined }))
      .sort((a, b) => (contentHash(a) < contentHash(b) ? -1 : 1));

  it('spans come back as they were sent, to the byte, whatever their attributes hold', async () => {
    const { spans } = stageOn(clickhouse);
    const long = 'a text that is long enough to be kept apart from its span, once a session ';
    const awkward = {
      'gen_ai.input.messages': `[{"role": "user", "content": "${long}\\u0000 \\ud83d\\ude00"}, {"role":"user","n":1.50}]`,
      'gen_ai.system_instructions': `[{"type":"text","content":"${long}"}]`,
      'llm.input_messages.0.message.content': `${long.repeat(5)}\u0000\ud83d\ude00ä`,
      'half.message': `[{"text":"${long}\ud800"}]`,
      'number.list': '[1, 2, 3]',
      empty: '',
      'null.value': null,
      __proto__: 'data',
    };
    const all = sent([
      ...agentTrace({ trace: 1 }),
      { ...agentTrace({ trace: 1 })[0]!, spanId: 'c'.repeat(16), attributes: awkward },
    ]);
    await spans.addSpans('bytes', all);
    const stored = (await spans.ofTraces('bytes', [traceIdOf(1)])).get(traceIdOf(1))!;
    expect(withoutPlace(stored)).toEqual(withoutPlace(all));
  });

  it('a history is stored once, a system prompt once for all sessions', async () => {
    const { spans } = stageOn(clickhouse);
    const text = (n: number): object => ({
      role: n === 0 ? 'system' : 'user',
      content: `message ${n} `.repeat(20),
    });
    const history = Array.from({ length: 20 }, (_, n) => text(n));
    for (const trace of [10, 11]) {
      const [, chat] = agentTrace({ trace });
      const calls = history.map((_, n) => ({
        ...chat!,
        spanId: (n + 1).toString(16).padStart(16, 'd'),
        attributes: {
          'gen_ai.conversation.id': `s${trace}`,
          'gen_ai.input.messages': history.slice(0, n + 1),
        },
      }));
      await spans.addSpans('once', sent(calls));
    }
    const counts = `SELECT (SELECT count() FROM span_messages FINAL WHERE project_id = 'once') AS messages,
                           (SELECT count() FROM shared_texts FINAL WHERE project_id = 'once') AS shared`;
    expect(await rowsOf(counts)).toEqual([{ messages: '38', shared: '1' }]);
  });

  it('no hash points nowhere after merges and a dropped month', async () => {
    const { spans, clock } = stageOn(clickhouse);
    await spans.addSpans('months', sent(agentTrace({ trace: 20 })));
    clock.advance(40 * 86_400_000);
    await spans.addSpans(
      'months',
      sent(agentTrace({ trace: 20 }).map((span) => ({ ...span, spanId: span.spanId.replace('b', 'e') }))),
    );
    const months = await rowsOf(
      `SELECT DISTINCT month FROM span_messages WHERE project_id = 'months' ORDER BY month`,
    );
    expect(months).toHaveLength(2);
    const oldest = Number(months[0]!['month']);
    for (const table of ['spans', 'span_messages', 'shared_texts']) {
      await clickhouse.command(`OPTIMIZE TABLE ${table} FINAL`);
      await clickhouse.command(`ALTER TABLE ${table} DROP PARTITION ${oldest}`);
    }
    const dangling = `SELECT count() AS n FROM
        (SELECT toYYYYMM(fromUnixTimestamp64Nano(toInt64(received_seq))) AS month, session_id, arrayJoin(arrayFlatten(list_hashes)) AS hash FROM spans_once) AS named
        WHERE (month, session_id, hash) NOT IN (SELECT month, session_id, hash FROM span_messages)
          AND (month, hash) NOT IN (SELECT month, hash FROM shared_texts)`;
    expect(await rowsOf(dangling)).toEqual([{ n: '0' }]);
    expect((await spans.ofTraces('months', [traceIdOf(20)])).get(traceIdOf(20))).toHaveLength(4);
  });

  it('a large field is an artifact, with its beginning in the row, and whole again where it is read', async () => {
    const { spans, bigFields } = stageOn(clickhouse);
    const whole = `${'ä😀 '.repeat(MAX_FIELD_CHARS)}end`;
    const [first, ...rest] = sent(agentTrace({ trace: 30 }));
    const big = { ...first!, attributes: { ...first!.attributes, 'tool.result': whole } };
    const claimed = await bigFields.claim('big', [big, ...rest]);
    expect(claimed[1]).toBe(rest[0]);
    const { key, sizeBytes } = claimed[0]!.claims!['tool.result']!;
    expect(sizeBytes).toBe(Buffer.byteLength(whole));
    expect((await artifactsOf(clickhouse).get(key)).toString()).toBe(whole);
    expect(whole.startsWith(String(claimed[0]!.attributes['tool.result']))).toBe(true);
    expect(JSON.stringify(claimed[0]).length).toBeLessThan(4_000);

    await spans.addSpans('big', claimed);
    const read = (await spans.ofTraces('big', [traceIdOf(30)])).get(traceIdOf(30))!;
    expect(withoutPlace(read)).toEqual(withoutPlace([big, ...rest]));
  });
});
