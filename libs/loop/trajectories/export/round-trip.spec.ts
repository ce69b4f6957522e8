import fc from 'fast-check';
import type { Step, Trajectory } from '#contracts/trajectory';
import { contentHash } from '#kernel/ids';
import { assembleTrace } from '../domain/assemble.js';
import { stepsOfTurns, type RecordedTurn } from '../formats/chat-steps.js';
import { FORMATS } from '../formats/index.js';
import { runOf } from '../formats/run-row.js';
import { atifRowOf } from './atif-row.js';
import { chatRowOf, responsesRowOf } from './openai-rows.js';
import { otlpRequestOf } from './otlp-request.js';

/** Texts with all that breaks readers: lone surrogates, NUL, line breaks, JSON, numbers, nothing at all. */
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  fc.constantFrom(
    '',
    'ok',
    '[]',
    '{"a": 1}',
    'null',
    '"x"',
    'a\r\n\u001b[31mb\u0000\ud800',
    '{"content":"x"}',
  ),
);
const args = fc.oneof(
  fc.json({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    '{}',
    '{"a":1,   "b" : [1,2]}',
    '{"broken": ',
    '{"n": 1.0}',
    '{"a":1,"a":2}',
    '[1]',
    'x',
  ),
);
const id = fc.constantFrom('', 'c1', 'c2', 'call_3');
const toolName = fc.constantFrom('find', 'book', 'toString');
const call = fc.record({ id, name: toolName, arguments: args });
const content = fc.oneof({ weight: 4, arbitrary: text }, fc.constant(null));
const error = fc.option(fc.constantFrom('timeout', '{"e": 1}'), { nil: undefined, freq: 6 });

const turn: fc.Arbitrary<RecordedTurn> = fc.oneof(
  fc.record({ message: fc.record({ role: fc.constantFrom('user' as const, 'system' as const), content }) }),
  fc.record({
    message: fc.record(
      {
        role: fc.constant('assistant' as const),
        content,
        toolCalls: fc.array(call, { minLength: 1, maxLength: 3 }),
        name: fc.constantFrom('planner', 'coder'),
      },
      { requiredKeys: ['role', 'content'] },
    ),
    error,
  }),
  fc.record({
    message: fc.record(
      { role: fc.constant('tool' as const), content, toolCallId: id },
      { requiredKeys: ['role', 'content'] },
    ),
    error,
  }),
);

/** Parts are counted where their wholes are, and are smaller. */
const whole = fc.integer({ min: 1_000, max: 100_000 });
const usage = fc.oneof(
  fc.constant({ inputTokens: null, outputTokens: null }),
  fc.record(
    {
      inputTokens: whole,
      outputTokens: whole,
      cacheReadTokens: fc.nat(1_000),
      reasoningTokens: fc.nat(1_000),
    },
    { requiredKeys: ['inputTokens', 'outputTokens'] },
  ),
);
const tool = fc.record({
  type: fc.constant('function' as const),
  function: fc.record(
    {
      name: toolName,
      description: fc.constantFrom('a tool', 'x'),
      parameters: fc.constantFrom({}, { type: 'object' }),
    },
    { requiredKeys: ['name', 'parameters'] },
  ),
});

const trajectories: fc.Arbitrary<Trajectory> = fc
  .record({
    turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
    tools: fc.uniqueArray(tool, { maxLength: 2, selector: (one) => one.function.name }),
    usage,
    reward: fc.option(fc.constantFrom(0, 1, 0.5, -1.5), { nil: null }),
    costUsd: fc.option(fc.constantFrom(0, 0.25), { nil: null }),
    sessionId: fc.option(fc.constantFrom('s1'), { nil: null }),
  })
  .map(({ turns, ...told }) => ({
    ...runOf({
      ...told,
      externalId: 'run-1',
      agent: 'agent',
      steps: stepsOfTurns(turns, { rowId: 'r', agent: 'agent' }),
      metadata: { task: 7, nested: { a: [1] }, 'label.answer': 'yes' },
    }),
    id: contentHash(['t', turns]),
    projectId: 'p',
    revision: 1,
    source: 'test',
    startedAtNs: '1700000000000000000',
    endedAtNs: '1700000009000000000',
  }));

/** The file that an export writes, read by whichever format knows it: what an import would store. */
function imported(row: unknown): Omit<Trajectory, 'id' | 'projectId' | 'source' | 'revision'>[] {
  const value = JSON.parse(JSON.stringify(row)) as unknown;
  const content = FORMATS.find((format) => format.detects(value))?.read(value);
  if (content?.kind === 'trajectory') return [{ startedAtNs: '0', endedAtNs: '0', ...content.trajectory }];
  const spans = (content?.spans ?? []).map((span, at) => ({ ...span, receivedSeq: String(at) }));
  const traceId = spans[0]?.traceId ?? '';
  return assembleTrace({ projectId: 'p', traceId, spans, captures: new Map() });
}

const said = ({
  role,
  content: words,
  toolCalls,
  toolCallId,
  toolName: tool_,
  agent,
  error: wrong,
}: Step) => ({
  role,
  content: words,
  toolCalls,
  ...(role === 'tool' ? { toolCallId, toolName: tool_ } : {}),
  ...(role === 'assistant' ? { agent } : {}),
  error: wrong,
});
const about = ({
  externalId,
  agent,
  tools,
  usage: used,
  reward,
  costUsd,
  sessionId,
  metadata,
}: Partial<Trajectory>) => ({ externalId, agent, tools, usage: used, reward, costUsd, sessionId, metadata });
/** Between two model calls the results come first, under their spans' names; after the last one only they are told. */
function heldByTrace(steps: readonly Step[], lastCall: number): Step[] {
  if (lastCall < 0) return [...steps];
  const held: Step[] = [];
  let others: Step[] = [];
  for (const step of steps.slice(0, lastCall + 1)) {
    if (step.role === 'tool') held.push(step);
    else others.push(step);
    if (step.kind === 'model_call') held.push(...others.splice(0));
  }
  others = steps.slice(lastCall + 1).filter((step) => step.role === 'tool');
  return [...held, ...others].map((step) => {
    if (step.role !== 'tool') return step;
    const { toolCallId, ...rest } = step;
    const named = { ...rest, toolName: step.toolName ?? 'execute_tool' };
    return toolCallId === undefined || toolCallId === '' ? named : { ...named, toolCallId };
  });
}
const RUNS = { numRuns: 150 };

describe('an export that is imported again is the same trajectory', () => {
  it.each([
    ['openai-chat', chatRowOf],
    ['openai-responses', responsesRowOf],
    ['atif', atifRowOf],
    ['jsonl', (trajectory: Trajectory) => trajectory],
  ])('%s: messages, speakers, tools, calls to the byte, errors, usage, reward, metadata', (_, write) => {
    fc.assert(
      fc.property(trajectories, (trajectory) => {
        const [back, ...others] = imported(write(trajectory));
        expect(others).toEqual([]);
        expect(back?.steps.map(said)).toEqual(trajectory.steps.map(said));
        expect(about(back ?? {})).toMatchObject(about(trajectory));
      }),
      RUNS,
    );
  });

  it('otlp-json: messages, speakers, tools, calls to the byte and usage, errors, up to the last model call and the results after it', () => {
    fc.assert(
      fc.property(trajectories, (trajectory) => {
        const lastCall = trajectory.steps.findLastIndex((step) => step.kind === 'model_call');
        const held = heldByTrace(trajectory.steps, lastCall);
        const spoken = (step: Step) => ({
          ...said(step),
          error: lastCall < 0 ? undefined : step.error,
        });
        const [back, ...others] = imported(otlpRequestOf(trajectory));
        expect(others).toEqual([]);
        expect(back?.steps.map(spoken)).toEqual(held.map(spoken));
        expect(back).toMatchObject({
          agent: trajectory.agent,
          sessionId: trajectory.sessionId,
          tools: trajectory.tools,
          usage: trajectory.usage,
        });
      }),
      RUNS,
    );
  });
});
