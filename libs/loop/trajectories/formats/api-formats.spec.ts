import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { projectRoot } from '#platform/runtime';
import { readSpan } from '../domain/dialects/index.js';
import { isObject } from '../domain/json.js';
import type { TurnMessage } from '../domain/span-facts.js';
import type { RowTrajectory } from './format.js';
import { FORMATS } from './index.js';
import { langfuse } from './langfuse.js';

const REAL = join(projectRoot(), '..', 'shared', 'data');
const onRealFiles = existsSync(REAL) ? describe : describe.skip;

function read(row: unknown): { name: string; trajectory: RowTrajectory } {
  const format = FORMATS.find((candidate) => candidate.detects(row));
  const content = format?.read(row);
  if (format === undefined || content?.kind !== 'trajectory') throw new Error('no trajectory');
  return { name: format.name, trajectory: content.trajectory };
}
const said = ({ trajectory }: { trajectory: RowTrajectory }) =>
  trajectory.steps.map(({ role, content, toolCalls, toolName, error }) =>
    JSON.parse(JSON.stringify({ role, content, toolCalls, toolName, error })),
  ) as unknown[];

describe('formats of model APIs', () => {
  it('anthropic: blocks, answers apart, failed results, thinking left out, cached input counted once', () => {
    const result = read({
      request: {
        model: 'claude',
        system: 'be brief',
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'hi' }] },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm' },
              { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 't', is_error: true, content: 'no' },
              { type: 'text', text: 'again' },
            ],
          },
        ],
      },
      response: {
        id: 'm1',
        type: 'message',
        content: [{ type: 'text', text: 'bye' }],
        stop_reason: 'end_turn',
        usage: {
          input_tokens: 5,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 10,
          output_tokens: 2,
        },
      },
    });
    expect(said(result)).toEqual([
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, toolCalls: [{ id: 't', name: 'f', arguments: '{"a":1}' }] },
      { role: 'tool', content: 'no', toolName: 'f', error: 'no' },
      { role: 'user', content: 'again' },
      { role: 'assistant', content: 'bye' },
    ]);
    expect([result.name, result.trajectory.usage]).toEqual([
      'anthropic',
      { inputTokens: 115, outputTokens: 2, cacheReadTokens: 100 },
    ]);
  });

  it("openai-responses: a turn ends where another speaks; calls of one turn are parallel; the API's own tools count", () => {
    const fn = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{"x":  1}' });
    const out = (id: string) => ({ type: 'function_call_output', call_id: id, output: id });
    const result = read({
      request: { model: 'm', instructions: 'sys', input: 'hi' },
      response: {
        id: 'r',
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'both' }] },
          fn('a'),
          fn('b'),
          out('b'),
          out('a'),
          { type: 'web_search_call', id: 'ws', action: { query: 'q' } },
          { type: 'reasoning', summary: [] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
        ],
        usage: {
          input_tokens: 9,
          input_tokens_details: { cached_tokens: 4 },
          output_tokens: 2,
          output_tokens_details: { reasoning_tokens: 1 },
        },
      },
    });
    const call = (id: string) => ({ id, name: 'f', arguments: '{"x":  1}' });
    expect(said(result)).toEqual([
      { role: 'system', content: 'sys' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'both', toolCalls: [call('a'), call('b')] },
      { role: 'tool', content: 'b', toolName: 'f' },
      { role: 'tool', content: 'a', toolName: 'f' },
      {
        role: 'assistant',
        content: null,
        toolCalls: [{ id: 'ws', name: 'web_search', arguments: '{"query":"q"}' }],
      },
      { role: 'assistant', content: 'done' },
    ]);
    expect(result.trajectory.usage).toEqual({
      inputTokens: 9,
      outputTokens: 2,
      cacheReadTokens: 4,
      reasoningTokens: 1,
    });
  });

  it('openai-chat: legacy functions and calls; an error in place of an answer is a call that failed', () => {
    const request = {
      model: 'm',
      functions: [{ name: 'f', parameters: {} }],
      messages: [{ role: 'user', content: 'hi' }],
    };
    const legacy = read({
      request,
      response: {
        choices: [{ message: { content: null, function_call: { name: 'f', arguments: '{\n}' } } }],
      },
    });
    expect(said(legacy).at(-1)).toEqual({
      role: 'assistant',
      content: null,
      toolCalls: [{ id: '', name: 'f', arguments: '{\n}' }],
    });
    expect(legacy.trajectory.tools.map((tool) => tool.function.name)).toEqual(['f']);
    const failed = read({
      request: { uri: 'https://x/v1/chat/completions', body: JSON.stringify(request) },
      response: { status: { code: 429 }, body: '{"error":{"message":"slow down"}}' },
    });
    expect(said(failed).at(-1)).toEqual({ role: 'assistant', content: null, error: 'HTTP 429: slow down' });
  });

  it('atif: results join the calls of their step, arguments become text, tokens are summed over the steps', () => {
    const result = read({
      schema_version: 'ATIF-v1.4',
      session_id: 's',
      agent: { name: 'a', version: '1', model_name: 'm' },
      steps: [
        { step_id: 1, source: 'user', message: 'hi' },
        {
          step_id: 2,
          source: 'agent',
          message: '',
          reasoning_content: 'hm',
          tool_calls: [{ tool_call_id: 'c', function_name: 'f', arguments: { a: 1 } }],
          observation: { results: [{ source_call_id: 'c', content: 'ok' }] },
          metrics: { prompt_tokens: 5, completion_tokens: 1 },
        },
        {
          step_id: 3,
          source: 'agent',
          message: 'done',
          metrics: { prompt_tokens: 7, completion_tokens: 2, cached_tokens: 5 },
        },
      ],
    });
    expect(said(result)).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] },
      { role: 'tool', content: 'ok', toolName: 'f' },
      { role: 'assistant', content: 'done' },
    ]);
    expect([result.name, result.trajectory.sessionId, result.trajectory.usage]).toMatchObject([
      'atif',
      's',
      { inputTokens: 12, outputTokens: 3, cacheReadTokens: 5 },
    ]);
  });
});

onRealFiles('real files (skipped where ../shared/data is absent)', () => {
  const rowsOf = (path: string): unknown[] => {
    const bytes = readFileSync(join(REAL, path));
    const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
    return text.startsWith('[')
      ? (JSON.parse(text) as unknown[])
      : text
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown);
  };

  it('takes every NeMo Gym rollout, and says of every task that it is none', () => {
    for (const file of readdirSync(join(REAL, 'nemo-gym-rollouts')).filter((name) =>
      name.includes('.jsonl'),
    )) {
      for (const row of rowsOf(`nemo-gym-rollouts/${file}`)) {
        if (file.includes('example_rollouts'))
          expect(read(row)).toMatchObject({
            name: 'nemo-gym',
            trajectory: { reward: expect.any(Number) as number },
          });
        else expect(() => read(row)).toThrow(/task of NeMo Gym/);
      }
    }
  });

  it('takes every recorded model call, streamed ones put together, and no other request', () => {
    const rows = readdirSync(join(REAL, 'llm-api-cassettes'))
      .filter((name) => name.endsWith('.json'))
      .flatMap((file) => rowsOf(`llm-api-cassettes/${file}`));
    const uriOf = (row: unknown): string =>
      isObject(row) && isObject(row['request']) ? String(row['request']['uri']) : '';
    const calls = rows.filter((row) => !uriOf(row).endsWith('/traces/ingest'));
    expect([rows.length, calls.length]).toEqual([23, 22]);
    const names = calls.map((row) => read(row).name);
    expect([...new Set(names)].sort()).toEqual(['anthropic', 'openai-chat', 'openai-responses']);
    const parallel = calls
      .map(read)
      .filter(({ trajectory }) => (trajectory.steps.at(-1)?.toolCalls?.length ?? 0) > 1);
    for (const { trajectory } of parallel)
      for (const call of trajectory.steps.at(-1)?.toolCalls ?? [])
        expect(isObject(JSON.parse(call.arguments))).toBe(true);
    expect(parallel.length).toBe(3);
  });

  it('reads from Langfuse captures what Langfuse itself makes of their model calls', () => {
    let compared = 0;
    const dir = join(REAL, 'langfuse-framework-traces');
    const json = (name: string) =>
      JSON.parse(readFileSync(join(dir, name), 'utf8')) as Record<string, unknown>;
    for (const file of readdirSync(dir).filter((name) => name.endsWith('.trace.json'))) {
      const row = json(file);
      const content = langfuse.read(row);
      if (content.kind !== 'spans') throw new Error('no spans');
      const oracle = json(file.replace('.trace.', '.chatml.'));
      for (const span of content.spans.filter(
        (one) => one.attributes['langfuse.observation.type'] === 'generation',
      )) {
        const facts = readSpan(span);
        for (const [side, turns] of [
          ['input', facts.input],
          ['output', facts.output],
        ] as const) {
          const told = expectedOf(oracle[span.spanId], side);
          if (told === undefined) continue;
          compared += 1;
          // Google answers a call in the user's name, and the oracle leaves it there: a result is a tool's to us.
          const ours = turns.map((turn, at) =>
            told[at]?.role === 'user' && turn.role === 'tool' ? { ...turn, role: 'user' as const } : turn,
          );
          expect([file, span.spanId, side, ours.map(plainTurn)]).toEqual([file, span.spanId, side, told]);
        }
      }
    }
    expect(compared).toBeGreaterThan(15);
  });
});

const plainTurn = ({ role, content, toolCalls = [] }: TurnMessage) => ({
  role,
  content: content ?? '',
  calls: toolCalls.map((call) => [call.name, call.arguments]),
});

/** The oracle's messages in our words; undefined where it read none, or wraps what it did not understand. */
function expectedOf(entry: unknown, side: 'input' | 'output') {
  const part = isObject(entry) ? entry[side] : undefined;
  if (!isObject(part) || part['success'] !== true || !Array.isArray(part['data'])) return undefined;
  const messages = part['data'].filter(isObject);
  if (messages.some((message) => message['role'] === undefined)) return undefined;
  return messages.map((message) => {
    const { role, content, tool_calls: calls } = message;
    const blocks = Array.isArray(content) ? content.filter(isObject) : [];
    const text = Array.isArray(content)
      ? blocks.flatMap((block) => block['text'] ?? []).join('\n')
      : (content ?? '');
    const used = blocks
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => [block['name'], JSON.stringify(block['input'])]);
    const listed = (Array.isArray(calls) ? calls.filter(isObject) : []).map((call) => [
      call['name'],
      call['arguments'],
    ]);
    return { role: role === 'model' ? 'assistant' : role, content: text, calls: [...used, ...listed] };
  });
}
