import { exportRequest, spanIdOf, traceIdOf, type SpanSpec } from '../../testing/otlp.js';
import { assembleTrace, type AssembledTrajectory } from '../assemble.js';
import { decodeExportRequest } from '../otlp.js';
import type { SpanFacts } from '../span-facts.js';
import { DIALECTS, dialectOf, readSpan } from './index.js';
import { plain } from './plain.js';
import { GENERAL } from './precedence.js';

const spec = (n: number, parent: number | null, more: Partial<SpanSpec>): SpanSpec => ({
  traceId: traceIdOf(1),
  spanId: spanIdOf(n),
  ...(parent === null ? {} : { parentSpanId: spanIdOf(parent) }),
  startMs: n,
  ...more,
});

function assemble(...spans: SpanSpec[]): AssembledTrajectory[] {
  const decoded = decodeExportRequest(exportRequest(spans)).spans;
  const stored = decoded.map((span, index) => ({ ...span, receivedSeq: String(index) }));
  return assembleTrace({ projectId: 'p', traceId: traceIdOf(1), spans: stored, captures: new Map() });
}

function read(attributes: Record<string, unknown>, more: Partial<SpanSpec> = {}): SpanFacts {
  const [span] = decodeExportRequest(exportRequest([spec(1, null, { attributes, ...more })])).spans;
  if (span === undefined) throw new Error('no span');
  return readSpan(span);
}

const tokens = (input: number, output: number) => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
});
const chat = (more: Record<string, unknown> = {}) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'm',
  ...more,
});

describe('a span of several dialects', () => {
  it('is believed fact by fact, and says which dialect told each', () => {
    const facts = read({
      'ai.operationId': 'ai.streamText.doStream',
      'ai.model.id': 'm',
      'ai.model.provider': 'acme.messages',
      'ai.prompt.messages': [{ role: 'user', content: 'hi' }],
      'ai.response.text': 'hello',
      'ai.usage.inputTokens': 9,
      'ai.usage.cachedInputTokens': 4,
      'gen_ai.system': 'acme',
      'gen_ai.request.model': 'm',
      'gen_ai.response.id': 'r',
      'langfuse.observation.type': 'span',
      ...tokens(9, 3),
    });
    expect(facts).toMatchObject({
      kind: 'model_call',
      provider: 'acme',
      responseId: 'r',
      input: [{ role: 'user', content: 'hi' }],
      usage: { inputTokens: 9, outputTokens: 3, cacheReadTokens: 4 },
    });
    expect(facts.dialects).toEqual({
      kind: 'ai_sdk',
      model: 'gen_ai',
      provider: 'gen_ai',
      responseId: 'gen_ai',
      inputTokens: 'gen_ai',
      outputTokens: 'gen_ai',
      cacheReadTokens: 'ai_sdk',
      input: 'ai_sdk',
      output: 'ai_sdk',
    });
  });

  it('is named by all of them, and one that nobody speaks is plain', () => {
    const nameOf = (attributes: Record<string, unknown>): string | undefined =>
      decodeExportRequest(exportRequest([spec(1, null, { attributes })])).spans.map(
        (span) => dialectOf(span).name,
      )[0];
    expect(nameOf({ 'mlflow.spanType': '"LLM"', 'gen_ai.request.model': 'm' })).toBe('gen_ai+mlflow');
    expect(nameOf({ 'http.route': '/' })).toBe('plain');
    expect(nameOf({ 'aim.model': 'x', 'lkx.y': 1, 'airline.name': 'y' })).toBe('plain');
  });

  it('has a place in the precedence for every dialect', () => {
    expect([...DIALECTS, plain].map((dialect) => dialect.name).sort()).toEqual([...GENERAL].sort());
  });

  it('takes the kind from the framework where a standard name only approximates it', () => {
    expect(read({ 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' }).kind).toBe('other');
    expect(
      read({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': '(merged tools)',
        'gcp.vertex.agent.tool_call_args': 'N/A',
      }).kind,
    ).toBe('other');
    expect(read({ 'gen_ai.tool.name': 'f', 'gen_ai.request.model': 'm' }).kind).toBe('tool_call');
    expect(read({ 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': 'm' }).kind).toBe('other');
    expect(read({ 'gen_ai.operation.name': 'new_kind', 'gen_ai.request.model': 'm' }).kind).toBe(
      'model_call',
    );
  });
});

describe('tokens', () => {
  it('of a part are a subset: never added to the whole', () => {
    const parts = { 'gen_ai.usage.cache_read.input_tokens': 80, 'gen_ai.usage.reasoning.output_tokens': 7 };
    expect(read(chat({ ...tokens(100, 10), ...parts })).usage).toEqual({
      inputTokens: 100,
      outputTokens: 10,
      cacheReadTokens: 80,
      reasoningTokens: 7,
    });
  });

  it('of a part that is larger than its whole were counted beside it', () => {
    const parts = { 'gen_ai.usage.cache_read.input_tokens': 80, 'gen_ai.usage.reasoning.output_tokens': 17 };
    expect(read(chat({ ...tokens(3, 10), ...parts })).usage).toMatchObject({
      inputTokens: 83,
      outputTokens: 27,
    });
  });

  it("of Langfuse stand apart unless their total or the provider's names say otherwise", () => {
    const usage = (details: object) => read({ 'langfuse.observation.usage_details': details }).usage;
    expect(
      usage({ input: 3, cache_read_input_tokens: 80, cache_creation_input_tokens: 20, output: 5 }),
    ).toEqual({
      inputTokens: 103,
      outputTokens: 5,
      cacheReadTokens: 80,
    });
    expect(usage({ input: 103, input_cache_read: 80, output: 5, total: 108 })).toEqual({
      inputTokens: 103,
      outputTokens: 5,
      cacheReadTokens: 80,
    });
    expect(
      usage({ prompt_tokens: 103, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 80 } }),
    ).toEqual({ inputTokens: 103, outputTokens: 5, cacheReadTokens: 80 });
  });

  it('of one call told by nested spans of two tracers are counted once, its content from whoever has it', () => {
    const run = assemble(
      spec(1, null, { attributes: { 'traceloop.span.kind': 'agent', 'traceloop.entity.name': 'a' } }),
      spec(2, 1, {
        attributes: {
          'langfuse.observation.type': 'generation',
          'langfuse.observation.output': 'done',
          'langfuse.observation.usage_details': { input: 50, output: 5 },
        },
      }),
      spec(3, 2, { name: 'POST' }),
      spec(4, 3, { attributes: chat(tokens(50, 5)) }),
    )[0];
    expect(run?.usage).toMatchObject({ inputTokens: 50, outputTokens: 5 });
    expect(run?.steps).toMatchObject([{ kind: 'model_call', model: 'm', content: 'done' }]);
    expect(run?.metadata['dialects']).toMatchObject({
      inputTokens: ['gen_ai', 'langfuse'],
      output: ['langfuse'],
    });
  });

  it('of a wrapper around several calls are theirs; two response ids are two calls', () => {
    const run = assemble(
      spec(1, null, { attributes: chat(tokens(70, 7)) }),
      spec(2, 1, { attributes: chat(tokens(20, 2)) }),
      spec(3, 1, { attributes: chat(tokens(50, 5)) }),
    )[0];
    expect(run?.usage).toMatchObject({ inputTokens: 70, outputTokens: 7 });
    expect(run?.steps).toHaveLength(2);
    const two = assemble(
      spec(1, null, { attributes: chat({ ...tokens(70, 7), 'gen_ai.response.id': 'x' }) }),
      spec(2, 1, { attributes: chat({ ...tokens(20, 2), 'gen_ai.response.id': 'y' }) }),
    )[0];
    expect(two?.usage).toMatchObject({ inputTokens: 90, outputTokens: 9 });
  });

  it('of an agent or tool between two model calls are of two calls', () => {
    const run = assemble(
      spec(1, null, { attributes: chat(tokens(10, 1)) }),
      spec(2, 1, { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'ask' } }),
      spec(3, 2, { attributes: chat(tokens(5, 1)) }),
    )[0];
    expect(run?.usage).toMatchObject({ inputTokens: 15, outputTokens: 2 });
  });
});

describe('errors, and content in other shapes', () => {
  it("of a span are its status, or the framework's own words", () => {
    expect(read(chat(), { error: 'rate limited' }).error).toBe('rate limited');
    expect(
      read({
        'langfuse.observation.type': 'tool',
        'langfuse.observation.level': 'ERROR',
        'langfuse.observation.status_message': 'no such city',
      }),
    ).toMatchObject({ error: 'no such city', dialects: { error: 'langfuse' } });
    expect(
      read({
        'lk.function_tool.name': 'f',
        'lk.function_tool.output': 'boom',
        'lk.function_tool.is_error': true,
      }).error,
    ).toBe('boom');
  });

  it('reads a run of Pydantic AI whose model calls are missing: its system message, all others, its answer', () => {
    const turn = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
    const facts = read({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.system_instructions': [{ type: 'text', content: 'be brief' }],
      'pydantic_ai.all_messages': [turn('user', 'q'), turn('assistant', 'a')],
      final_result: 'a',
    });
    expect(facts.input.map(({ content }) => content)).toEqual(['be brief', 'q']);
    expect(facts.output).toEqual([{ role: 'assistant', content: 'a' }]);
  });

  it('reads parallel calls of the Responses API as one message and their results apart', () => {
    const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' });
    const facts = read({
      'mlflow.spanType': '"LLM"',
      'mlflow.spanInputs': { instructions: 'be brief', input: [{ role: 'user', content: 'q' }] },
      'mlflow.spanOutputs': {
        id: 'resp',
        output: [
          { type: 'reasoning', summary: [] },
          call('a'),
          call('b'),
          { type: 'function_call_output', call_id: 'a', output: 'x' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'end' }] },
        ],
      },
    });
    expect(facts.input).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'q' },
    ]);
    expect(
      facts.output.map((turn) => [turn.role, turn.content, turn.toolCalls?.map(({ id }) => id)]),
    ).toEqual([
      ['assistant', null, ['a', 'b']],
      ['tool', 'x', undefined],
      ['assistant', 'end', undefined],
    ]);
  });

  it("reads Anthropic's blocks: text, a call, and its result inside a user message", () => {
    const facts = read({
      'mlflow.spanType': '"CHAT_MODEL"',
      'mlflow.spanInputs': {
        system: 'be brief',
        messages: [
          { role: 'user', content: 'q' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: 1 } }] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'r' }] },
              { type: 'text', text: 'and?' },
            ],
          },
        ],
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
      },
      'mlflow.spanOutputs': {
        id: 'msg',
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'so' },
        ],
        stop_reason: 'end_turn',
      },
    });
    expect(facts.input).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'q' },
      { role: 'assistant', content: null, toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }] },
      { role: 'tool', content: 'r', toolCallId: 't' },
      { role: 'user', content: 'and?' },
    ]);
    expect(facts).toMatchObject({
      output: [{ role: 'assistant', content: 'so' }],
      finishReasons: ['end_turn'],
      responseId: 'msg',
      tools: [{ function: { name: 'f', parameters: { type: 'object' } } }],
    });
  });

  it('keeps text that only looks like JSON as it is', () => {
    const input = (content: unknown) =>
      read({ 'llm.request.type': 'chat', 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': content })
        .input;
    expect(input('[1, 2]')).toEqual([{ role: 'user', content: '[1, 2]' }]);
    expect(input('{"a":  1}')).toEqual([{ role: 'user', content: '{"a":  1}' }]);
    expect(read({ 'langfuse.observation.input': 'null' }).input).toEqual([]);
  });
});
