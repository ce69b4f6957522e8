/** One small run that every golden fixture tells in its own dialect: question, call of a tool, its result, answer. */
import { spanIdOf, traceIdOf, type SpanSpec } from '../../../testing/otlp.js';

export interface Telling {
  dialect: string;
  spans: SpanSpec[];
  /** Facts of the story that this dialect has no place for, or words otherwise. */
  differs?: {
    agent?: string;
    provider?: string;
    sessionId?: null;
    cacheReadTokens?: null;
    reasoningTokens?: null;
    tools?: null;
  };
}

export const QUESTION = 'How cold is it in Oslo?';
export const ARGUMENTS = '{"city":"Oslo"}';
export const RESULT = 'minus 4';
export const ANSWER = 'It is minus 4 in Oslo.';
export const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } } };
export const CALL = { id: 'c1', type: 'function', function: { name: 'weather', arguments: ARGUMENTS } };

/** OpenAI's messages of the second prompt. */
export const HISTORY = [
  { role: 'user', content: QUESTION },
  { role: 'assistant', content: null, tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 'c1', content: RESULT },
];
export const TOOL = { type: 'function', function: { name: 'weather', parameters: PARAMETERS } };

type SpanOf = Partial<SpanSpec> & { attributes: Record<string, unknown> };

/** Spans 1 to 4: the agent, its first model call, the tool, the second model call; more hang below the agent too. */
export function run(agent: SpanOf, ...below: SpanOf[]): SpanSpec[] {
  return [agent, ...below].map((span, index) => ({
    traceId: traceIdOf(1),
    spanId: spanIdOf(index + 1),
    ...(index === 0 ? { endMs: 100 } : { parentSpanId: spanIdOf(1) }),
    startMs: index * 10,
    ...span,
  }));
}
