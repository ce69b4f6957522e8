import fc from 'fast-check';
import type { ModelCallCapture } from '#contracts/gateway';
import { agentTrace, exportRequest, spanIdOf, traceIdOf, type SpanSpec } from '../testing/otlp.js';
import { assembleTrace, type AssembledTrajectory } from './assemble.js';
import { isComplete } from './completion.js';
import { dialectOf } from './dialects/index.js';
import { decodeExportRequest } from './otlp.js';

function assemble(
  spans: readonly SpanSpec[],
  captures: readonly ModelCallCapture[] = [],
): AssembledTrajectory[] {
  const decoded = decodeExportRequest(exportRequest(spans));
  expect(decoded.rejected).toEqual([]);
  const stored = decoded.spans.map((span, index) => ({ ...span, receivedSeq: String(1_000 + index) }));
  return assembleTrace({
    projectId: 'p',
    traceId: traceIdOf(1),
    spans: stored,
    captures: new Map(captures.map((item) => [item.responseId, item])),
  });
}

const span = (
  n: number,
  parent: number | null,
  attributes: Record<string, unknown> = {},
  more: Partial<SpanSpec> = {},
): SpanSpec => ({
  traceId: traceIdOf(1),
  spanId: spanIdOf(n),
  ...(parent === null ? {} : { parentSpanId: spanIdOf(parent) }),
  startMs: n,
  attributes,
  ...more,
});
const agent = (name: string) => ({ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': name });
const chat = (more: Record<string, unknown> = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm',
  ...more,
});
const text = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

describe('which runs a trace holds', () => {
  it('one an outermost agent span; agents below it are part of its run and named on their steps', () => {
    const runs = assemble([
      span(1, null),
      span(2, 1, agent('planner')),
      span(3, 2, agent('searcher')),
      span(4, 3, chat()),
      span(5, 2, chat()),
      span(6, 1, agent('other')),
    ]);
    expect(runs.map((run) => run.agent)).toEqual(['planner', 'other']);
    expect(runs[0]?.steps.map((step) => step.agent)).toEqual(['searcher', 'planner']);
  });

  it('the topmost span where no agent is told, named by the service; a missing parent does not hide spans', () => {
    expect(assemble([span(2, 1, chat()), span(3, 2)])).toMatchObject([
      { agent: 'test-service', steps: [{ kind: 'model_call' }] },
    ]);
  });

  it('keeps model calls that lie outside of all agents', () => {
    const runs = assemble([span(1, null), span(2, 1, agent('a')), span(3, 2, chat()), span(4, 1, chat())]);
    expect(runs.map((run) => [run.agent, run.steps.length])).toEqual([
      ['test-service', 1],
      ['a', 1],
    ]);
  });

  it('loses no span and ends when parents form a ring', () => {
    const call = (responseId: string) => chat({ 'gen_ai.response.id': responseId });
    const ring = [span(1, 3, call('a')), span(2, 1, call('b')), span(3, 2, call('c'))];
    const steps = assemble(ring).flatMap((run) => run.steps);
    expect(steps).toHaveLength(3);
  });

  it('is the same for every order of arrival', () => {
    const spans = agentTrace({ trace: 1, outcome: 1 });
    const expected = assemble(spans);
    fc.assert(
      fc.property(fc.shuffledSubarray(spans, { minLength: spans.length }), (shuffled) =>
        expect(assemble(shuffled)).toEqual(expected),
      ),
      { numRuns: 24 },
    );
  });
});

describe('steps', () => {
  it('say each message once, however often later prompts repeat it, and results by their tool span', () => {
    const steps = assemble(agentTrace({ trace: 1 }))[0]?.steps ?? [];
    expect(steps.map((step) => [step.kind, step.role, step.content])).toEqual([
      ['message', 'user', 'task 1'],
      ['model_call', 'assistant', null],
      ['tool_call', 'tool', '{"id": 7}'],
      ['model_call', 'assistant', 'It is 7.'],
    ]);
    expect(steps[1]?.toolCalls).toEqual([{ id: 'c1', name: 'find', arguments: '{"name": "Ada"}' }]);
  });

  it('show a result without a tool span as an observation, and a repeated question as a new message', () => {
    const result = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', result: 'r' }] };
    const first = [text('user', 'again?')];
    const second = [...first, text('assistant', 'yes'), result, text('user', 'again?')];
    const steps = assemble([
      span(1, null, agent('a')),
      span(
        2,
        1,
        chat({ 'gen_ai.input.messages': first, 'gen_ai.output.messages': [text('assistant', 'yes')] }),
      ),
      span(3, 1, chat({ 'gen_ai.input.messages': second })),
    ])[0]?.steps;
    expect(steps?.map((step) => [step.kind, step.content])).toEqual([
      ['message', 'again?'],
      ['model_call', 'yes'],
      ['observation', 'r'],
      ['message', 'again?'],
      ['model_call', null],
    ]);
    expect(new Set(steps?.map((step) => step.stepId)).size).toBe(5);
  });

  it('take the answer of a silent model call from the next prompt', () => {
    const steps = assemble([
      span(1, null, agent('a')),
      span(2, 1, chat({ 'gen_ai.input.messages': [text('user', 'q')] })),
      span(
        3,
        1,
        chat({ 'gen_ai.input.messages': [text('user', 'q'), text('assistant', 'a'), text('user', 'w')] }),
      ),
    ])[0]?.steps;
    expect(steps?.map((step) => [step.kind, step.content])).toEqual([
      ['message', 'q'],
      ['model_call', 'a'],
      ['message', 'w'],
      ['model_call', null],
    ]);
  });

  it('count a call once that two instrumentations report with one response id', () => {
    const usage = { 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 2 };
    const run = assemble([
      span(1, null, { ...agent('a'), 'gen_ai.usage.input_tokens': 5, 'gen_ai.usage.output_tokens': 2 }),
      span(2, 1, chat({ ...usage, 'gen_ai.response.id': 'r' })),
      span(
        3,
        2,
        chat({ ...usage, 'gen_ai.response.id': 'r', 'gen_ai.output.messages': [text('assistant', 'a')] }),
      ),
    ])[0];
    expect(run?.steps.map((step) => [step.kind, step.content])).toEqual([['model_call', 'a']]);
    expect(run?.usage).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  it('clamp a span that ends before it starts, and say so', () => {
    const run = assemble([span(1, null, agent('a')), span(2, 1, chat(), { endMs: -50 })])[0];
    expect(run?.steps[0]?.endNs).toBe(run?.steps[0]?.startNs);
    expect(run?.metadata['clampedSpans']).toBe(1);
  });
});

describe('outcome and cost', () => {
  const judged = (attributes: Record<string, unknown>) =>
    assemble([
      span(1, null, agent('a'), {
        events: [
          {
            name: 'gen_ai.evaluation.result',
            attributes: { 'gen_ai.evaluation.name': 'outcome', ...attributes },
          },
        ],
      }),
    ])[0]?.outcome;

  it("is the application's own judgement, else unknown", () => {
    expect(judged({ 'gen_ai.evaluation.score.value': 1 })).toMatchObject({
      value: 'success',
      source: 'explicit',
    });
    expect(judged({ 'gen_ai.evaluation.score.value': 0.5 })).toMatchObject({ value: 'failure' });
    expect(judged({ 'gen_ai.evaluation.score.label': 'fail' })).toMatchObject({ value: 'failure' });
    expect(judged({ 'gen_ai.evaluation.score.label': 'purple' })).toMatchObject({
      value: 'unknown',
      source: 'none',
    });
    expect(assemble([span(1, null, agent('a'))])[0]?.outcome).toMatchObject({
      value: 'unknown',
      source: 'none',
    });
  });

  it('has no total where the price of one call is unknown, and no policy where two served', () => {
    const capture = (responseId: string, policy: string, costUsd: number | null): ModelCallCapture => ({
      projectId: 'p',
      responseId,
      agent: 'a',
      policy,
      agentRef: `ref-${policy}`,
      sessionId: null,
      promptTokens: 1,
      completionTokens: 1,
      costUsd,
      latencyMs: 1,
      servedAtNs: '1700000000000000000',
    });
    const spans = agentTrace({ trace: 1, responseIds: ['r1', 'r2'] });
    expect(assemble(spans, [capture('r1', 'x', 0.1), capture('r2', 'x', 0.2)])[0]).toMatchObject({
      costUsd: 0.1 + 0.2,
      policy: 'x',
      agentRef: 'ref-x',
    });
    expect(assemble(spans, [capture('r1', 'x', 0.1), capture('r2', 'x', null)])[0]).toMatchObject({
      costUsd: null,
      policy: 'x',
    });
    expect(assemble(spans, [capture('r1', 'x', 0.1)])[0]?.costUsd).toBeNull();
    expect(assemble(spans, [capture('r1', 'x', 0.1), capture('r2', 'y', 0.1)])[0]).toMatchObject({
      policy: null,
      agentRef: null,
      metadata: { policies: ['x', 'y'] },
    });
  });
});

describe('dialects', () => {
  it("read OpenInference's flattened messages, tools and counts", () => {
    const run = assemble([
      span(1, null, { 'openinference.span.kind': 'AGENT', 'agent.name': 'oi', 'session.id': 's' }),
      span(2, 1, {
        'openinference.span.kind': 'LLM',
        'llm.model_name': 'm',
        'llm.input_messages.0.message.role': 'system',
        'llm.input_messages.0.message.content': 'be good',
        'llm.input_messages.1.message.role': 'user',
        'llm.input_messages.1.message.contents.0.message_content.type': 'text',
        'llm.input_messages.1.message.contents.0.message_content.text': 'hi',
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.tool_calls.0.tool_call.id': 'c',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'f',
        'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments': '{"a":  1}',
        'llm.tools.0.tool.json_schema':
          '{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}',
        'llm.token_count.prompt': 7,
        'llm.token_count.completion': 3,
        'llm.token_count.prompt_details.cache_read': 2,
      }),
      span(3, 1, {
        'openinference.span.kind': 'TOOL',
        'tool.name': 'f',
        'input.value': '{"a":  1}',
        'output.value': 'done',
      }),
    ])[0];
    expect(run).toMatchObject({
      agent: 'oi',
      sessionId: 's',
      usage: { inputTokens: 7, outputTokens: 3, cacheReadTokens: 2 },
      tools: [{ function: { name: 'f' } }],
    });
    expect(run?.steps).toMatchObject([
      { role: 'system', content: 'be good' },
      { role: 'user', content: 'hi' },
      { kind: 'model_call', model: 'm', toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":  1}' }] },
      { kind: 'tool_call', toolName: 'f', arguments: '{"a":  1}', content: 'done' },
    ]);
  });

  it('name a span the same at receipt as when it is read whole', () => {
    const spans = decodeExportRequest(
      exportRequest([
        ...agentTrace({ trace: 1, responseIds: ['a', 'b'] }),
        span(9, null),
        span(10, null, { 'openinference.span.kind': 'LLM' }),
      ]),
    ).spans;
    for (const item of spans)
      expect(dialectOf(item).read(item)).toMatchObject(dialectOf(item).identify(item));
  });
});

describe('completion', () => {
  const ns = (seconds: number): bigint => BigInt(seconds) * 1_000_000_000n;
  const trace = { projectId: 'p', traceId: 't', firstSeq: ns(100), lastSeq: ns(105), entrySeen: true };

  it('is quiet in stream time, not on the wall: lag completes nothing early', () => {
    expect(isComplete(trace, ns(115), ns(116))).toBe(true);
    expect(isComplete(trace, ns(114), ns(158))).toBe(false);
    expect(isComplete({ ...trace, entrySeen: false }, ns(140), ns(141))).toBe(false);
  });

  it('comes by the deadline at the latest', () => {
    expect(isComplete({ ...trace, entrySeen: false }, ns(105), ns(160))).toBe(true);
  });
});

describe('OTLP decoding', () => {
  const one = (change: Record<string, unknown>) => {
    const request = exportRequest([span(1, null)]) as {
      resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[];
    };
    Object.assign(request.resourceSpans[0]!.scopeSpans[0]!.spans[0]!, change);
    return decodeExportRequest(request);
  };

  it('takes numbers as text or number and keeps whole numbers beyond 2^53 exact', () => {
    const values = [
      { intValue: '18205' },
      { intValue: 443 },
      { intValue: '9007199254740993' },
      { boolValue: false },
      { doubleValue: 0.5 },
      { kvlistValue: { values: [{ key: '__proto__', value: { stringValue: 'x' } }] } },
      {},
    ];
    const { spans } = one({ attributes: values.map((value, index) => ({ key: `k${index}`, value })) });
    expect(Object.values(spans[0]!.attributes).slice(0, 5)).toEqual([
      18205,
      443,
      '9007199254740993',
      false,
      0.5,
    ]);
    expect(JSON.stringify(spans[0]!.attributes['k5'])).toBe('{"__proto__":"x"}');
    expect(spans[0]!.attributes['k6']).toBeNull();
  });

  it('refuses, with a reason, what has no identity or time, or is nested without end', () => {
    const nested = Array.from({ length: 80 }).reduce<unknown>(
      (inner) => ({ arrayValue: { values: [inner] } }),
      { stringValue: 'x' },
    );
    const bad = [
      { traceId: '00000000000000000000000000000000' },
      { spanId: 'xyz' },
      { startTimeUnixNano: '0' },
      { startTimeUnixNano: '-5' },
      { endTimeUnixNano: '99999999999999999999' },
      { attributes: [{ key: 'k', value: nested }] },
    ];
    for (const change of bad)
      expect(one(change)).toMatchObject({
        spans: [],
        rejected: [{ reason: expect.stringMatching(/\w/) as string }],
      });
    expect(one({ spanId: 'ABCDEF0123456789' }).spans[0]?.spanId).toBe('abcdef0123456789');
  });
});
