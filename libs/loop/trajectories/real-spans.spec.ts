import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '#platform/runtime';
import { readSpan } from './domain/dialects/index.js';
import { decodeExportRequest } from './domain/otlp.js';
import type { SpanFacts } from './domain/span-facts.js';
import { exportRequest, spanIdOf, traceIdOf } from './testing/otlp.js';

const REAL = join(projectRoot(), '..', 'shared', 'data');
const onRealFiles = existsSync(REAL) ? describe : describe.skip;
const cassettes = existsSync(REAL)
  ? readdirSync(join(REAL, 'llm-api-cassettes')).filter((name) =>
      /^(openai|llamaindex)(?!.*streaming).*\.json$/.test(name),
    )
  : [];

const load = (path: string): unknown => JSON.parse(readFileSync(join(REAL, path), 'utf8'));

function factsOf(attributes: Record<string, unknown>, name = 'span'): SpanFacts {
  const request = exportRequest([{ traceId: traceIdOf(1), spanId: spanIdOf(1), name, attributes }]);
  const [span] = decodeExportRequest(request).spans;
  if (span === undefined) throw new Error('the span was refused');
  return readSpan(span);
}

/** The captures hold a list as OTLP does. */
function captured(path: string): SpanFacts {
  const { spanName, attributes } = load(path) as { spanName: string; attributes: Record<string, unknown> };
  const plainList = (value: unknown): unknown => {
    const list = (value as { values?: { stringValue: string }[] }).values;
    return Array.isArray(list) ? list.map((item) => item.stringValue) : value;
  };
  return factsOf(
    Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, plainList(value)])),
    spanName,
  );
}

interface Exchange {
  request: { body: string };
  response: { content_type: string | null; body: string };
}
interface Message {
  role: string;
  content?: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  function_call?: { name: string; arguments: string };
}

onRealFiles('real spans (4 files, skipped where ../shared/data is absent)', () => {
  it('of opencode: the AI SDK told beside gen_ai, cached tokens inside the input', () => {
    const facts = captured('otlp-json/langwatch.opencode-B.doStream.json');
    expect(facts).toMatchObject({
      kind: 'model_call',
      provider: 'anthropic',
      sessionId: 'ses_163f6d41affe5UvQOoAwyu4xVP',
      responseId: 'msg_01LJNXcHTfA9mndadeP29RWD',
      finishReasons: ['stop'],
      usage: { inputTokens: 12632, outputTokens: 13, cacheReadTokens: 0 },
      output: [{ role: 'assistant', content: 'PONG-OPENCODE-B1' }],
      dialects: { inputTokens: 'gen_ai', cacheReadTokens: 'ai_sdk', input: 'ai_sdk', tools: 'ai_sdk' },
    });
    expect(facts.input.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(facts.tools.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(['bash', 'read', 'edit']),
    );
    expect(facts.tools.every((tool) => 'properties' in tool.function.parameters)).toBe(true);
  });

  it('of gemini-cli: an operation of its own name, parts without a type, thoughts left out', () => {
    const facts = captured('otlp-json/langwatch.gemini-B.llm_call.json');
    expect(facts).toMatchObject({
      kind: 'model_call',
      agentName: 'gemini-cli',
      sessionId: '945bd8d5-0657-4385-a99e-30240bfd2e00',
      usage: { inputTokens: 767, outputTokens: 30 },
    });
    expect(facts.input[0]).toMatchObject({ role: 'system' });
    expect(facts.input[0]?.content).toMatch(/^\nYou are a specialized Task Routing AI/);
    expect(facts.input.at(-1)?.role).toBe('user');
    expect(facts.output).toMatchObject([
      { role: 'assistant', content: expect.stringMatching(/^\{"complexity_reasoning"/) as string },
    ]);
  });

  it('of codex: the counts of a turn, cached and reasoning tokens as subsets', () => {
    expect(captured('otlp-json/langwatch.codex-B.session_task_turn.json')).toMatchObject({
      kind: 'agent',
      agentName: 'codex',
      model: 'gpt-5.5',
      usage: { inputTokens: 13297, outputTokens: 23, cacheReadTokens: 4480, reasoningTokens: 10 },
    });
  });

  it('of a made-up trace with an attribute of 8 kB: whole, and no dialect claims it', () => {
    const lines = readFileSync(
      join(REAL, 'otlp-json/open-agent-traces.test-traces.otlp.json'),
      'utf8',
    ).trim();
    for (const line of lines.split('\n')) {
      const { spans, rejected } = decodeExportRequest(JSON.parse(line));
      expect(rejected).toEqual([]);
      expect(spans.map((span) => readSpan(span).kind)).toEqual(['other']);
      expect(spans[0]?.events[0]?.attributes['large_attribute']).toHaveProperty('length', 8192);
    }
  });
});

onRealFiles(
  `real requests and answers (${cassettes.length} files, skipped where ../shared/data is absent)`,
  () => {
    it.each(cassettes)('%s: every message and call as it was sent, arguments to the byte', (file) => {
      const exchanges = (load(`llm-api-cassettes/${file}`) as Exchange[]).filter(({ response }) =>
        response.content_type?.startsWith('application/json'),
      );
      for (const { request, response } of exchanges) {
        const sent = JSON.parse(request.body) as { messages?: Message[]; input?: unknown[]; model: string };
        const got = JSON.parse(response.body) as { choices?: { message: Message; finish_reason: string }[] };
        const facts = factsOf({
          'mlflow.spanType': '"CHAT_MODEL"',
          'mlflow.spanInputs': request.body,
          'mlflow.spanOutputs': response.body,
        });
        expect(facts.model).toBe(sent.model);
        if (sent.messages === undefined || got.choices === undefined) {
          expect(facts.input.length).toBeGreaterThan(0);
          expect(facts.output.length).toBeGreaterThan(0);
          continue;
        }
        expect(facts.input.map(shapeOfTurn)).toEqual(sent.messages.map(shapeOfMessage));
        expect(facts.output.map(shapeOfTurn)).toEqual(
          got.choices.map(({ message }) => shapeOfMessage(message)),
        );
        expect(facts.finishReasons).toEqual(got.choices.map((choice) => choice.finish_reason));
      }
    });
  },
);

function shapeOfTurn({ role, content, toolCalls = [] }: SpanFacts['input'][number]): unknown {
  return { role, content, calls: toolCalls.map((call) => [call.name, call.arguments]) };
}

function shapeOfMessage({
  role,
  content = null,
  tool_calls: calls = [],
  function_call: legacy,
}: Message): unknown {
  const called = legacy === undefined ? calls.map((call) => call.function) : [legacy];
  return {
    role: role === 'function' ? 'tool' : role,
    content,
    calls: called.map((call) => [call.name, call.arguments]),
  };
}
