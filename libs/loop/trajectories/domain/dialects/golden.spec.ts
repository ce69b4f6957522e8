import { exportRequest, traceIdOf } from '../../testing/otlp.js';
import { assembleTrace, type AssembledTrajectory } from '../assemble.js';
import { decodeExportRequest } from '../otlp.js';
import { dialectOf } from './index.js';
import * as kits from './golden/agent-kits.js';
import * as frameworks from './golden/frameworks.js';
import * as standards from './golden/standards.js';
import { ANSWER, PARAMETERS, QUESTION, RESULT, type Telling } from './golden/story.js';
import * as tracers from './golden/tracers.js';

const tellings: [string, Telling][] = Object.entries({ ...standards, ...frameworks, ...kits, ...tracers });

function spansOf(telling: Telling) {
  const decoded = decodeExportRequest(exportRequest(telling.spans));
  expect(decoded.rejected).toEqual([]);
  return decoded.spans.map((span, index) => ({ ...span, receivedSeq: String(1_000 + index) }));
}

function trajectoriesOf(telling: Telling): AssembledTrajectory[] {
  const spans = spansOf(telling);
  return assembleTrace({ projectId: 'p', traceId: traceIdOf(1), spans, captures: new Map() });
}

describe.each(tellings)('the story told in %s', (_, telling) => {
  const { differs = {} } = telling;
  const runs = trajectoriesOf(telling);

  it('is one run with its agent, session, tools and counts, each token once', () => {
    const twice = (count: number): number => count * 2;
    expect(runs).toHaveLength(1);
    expect(runs[0]).toMatchObject({
      agent: differs.agent ?? 'guide',
      sessionId: differs.sessionId === null ? null : 's-1',
      tools:
        differs.tools === null
          ? []
          : [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }],
      usage: {
        inputTokens: twice(40),
        outputTokens: twice(12),
        cacheReadTokens: differs.cacheReadTokens === null ? null : twice(10),
        reasoningTokens: differs.reasoningTokens === null ? null : twice(5),
      },
    });
  });

  it('is four steps: question, call of the tool, its result, answer', () => {
    const steps = runs[0]?.steps ?? [];
    expect(steps.map((step) => [step.kind, step.role])).toEqual([
      ['message', 'user'],
      ['model_call', 'assistant'],
      ['tool_call', 'tool'],
      ['model_call', 'assistant'],
    ]);
    expect(steps[0]?.content).toBe(QUESTION);
    expect(steps[1]?.content ?? '').toBe('');
    expect(steps[1]?.toolCalls).toMatchObject([{ id: 'c1', name: 'weather' }]);
    expect(JSON.parse(steps[1]?.toolCalls?.[0]?.arguments ?? '')).toEqual({ city: 'Oslo' });
    expect(steps[2]?.toolName).toBe('weather');
    expect(JSON.parse(steps[2]?.arguments ?? '')).toEqual({ city: 'Oslo' });
    expect([RESULT, JSON.stringify({ result: RESULT })]).toContain(steps[2]?.content);
    expect(steps[3]).toMatchObject({ content: ANSWER, model: 'm-1' });
    expect(steps[3]?.provider ?? '').toMatch(new RegExp(`^${differs.provider ?? 'acme'}`));
  });

  it('names the dialect of every fact, and is named the same at receipt as when read whole', () => {
    const dialects = runs[0]?.metadata['dialects'] as Record<string, string[]>;
    expect(new Set(Object.values(dialects).flat())).toContain(telling.dialect);
    expect(Object.keys(dialects)).toEqual(expect.arrayContaining(['kind', 'input', 'output', 'inputTokens']));
    for (const span of spansOf(telling))
      expect(dialectOf(span).read(span)).toMatchObject(dialectOf(span).identify(span));
  });

  it('keeps the messages of the entry out of its metadata', () => {
    expect(JSON.stringify(runs[0]?.metadata)).not.toContain(QUESTION);
  });
});
