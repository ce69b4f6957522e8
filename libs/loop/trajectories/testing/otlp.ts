/** Spans as an exporter sends them, for specs. */
export interface SpanSpec {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name?: string;
  startMs?: number;
  endMs?: number;
  attributes?: Record<string, unknown>;
  events?: { name: string; attributes: Record<string, unknown> }[];
  error?: string;
}

const BASE_MS = 1_700_000_000_000;

/** Ids of the right length from small numbers. */
/** One letter, then zeros: padded with the letter itself, the ids of 2 and 0xa2 would be one. */
export const traceIdOf = (n: number): string => `a${n.toString(16).padStart(31, '0')}`;
export const spanIdOf = (n: number): string => `b${n.toString(16).padStart(15, '0')}`;

export function exportRequest(spans: readonly SpanSpec[], service = 'test-service'): Record<string, unknown> {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributeList({ 'service.name': service }) },
        scopeSpans: [{ scope: { name: 'spec' }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: SpanSpec): Record<string, unknown> {
  const startMs = BASE_MS + (span.startMs ?? 0);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    name: span.name ?? 'span',
    kind: 1,
    startTimeUnixNano: `${startMs}000000`,
    endTimeUnixNano: `${BASE_MS + (span.endMs ?? (span.startMs ?? 0) + 10)}000000`,
    attributes: attributeList(span.attributes ?? {}),
    events: (span.events ?? []).map((event) => ({
      name: event.name,
      timeUnixNano: `${startMs}000000`,
      attributes: attributeList(event.attributes),
    })),
    status: span.error === undefined ? {} : { code: 2, message: span.error },
  };
}

function attributeList(attributes: Record<string, unknown>): { key: string; value: unknown }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): unknown {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value) && value.every((item) => typeof item === 'string'))
    return { arrayValue: { values: value.map(anyValue) } };
  return { stringValue: JSON.stringify(value) };
}

export interface AgentTrace {
  trace: number;
  responseIds?: [string, string];
  outcome?: number;
  startMs?: number;
}

/** One run of an agent: user → model (tool call) → tool → model (answer), as gen_ai spans. Five spans' worth in four. */
export function agentTrace({ trace, responseIds, outcome, startMs = 0 }: AgentTrace): SpanSpec[] {
  const traceId = traceIdOf(trace);
  const root = spanIdOf(trace * 10);
  const user = { role: 'user', parts: [{ type: 'text', content: `task ${trace}` }] };
  const call = {
    role: 'assistant',
    parts: [{ type: 'tool_call', id: 'c1', name: 'find', arguments: '{"name": "Ada"}' }],
  };
  const answer = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '{"id": 7}' }] };
  const chat = (n: number, input: unknown[], output: unknown): SpanSpec => ({
    traceId,
    spanId: spanIdOf(trace * 10 + n),
    parentSpanId: root,
    name: 'chat tiny',
    startMs: startMs + n,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'tiny',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 4,
      'gen_ai.usage.cache_read.input_tokens': 6,
      'gen_ai.input.messages': input,
      'gen_ai.output.messages': [output],
      ...(responseIds === undefined ? {} : { 'gen_ai.response.id': responseIds[n === 1 ? 0 : 1] }),
    },
  });
  return [
    {
      traceId,
      spanId: root,
      name: 'invoke_agent helper',
      startMs,
      endMs: startMs + 100,
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': 'helper',
        'gen_ai.conversation.id': `s-${trace}`,
        'task.id': `t-${trace}`,
      },
      events:
        outcome === undefined
          ? []
          : [
              {
                name: 'gen_ai.evaluation.result',
                attributes: { 'gen_ai.evaluation.name': 'outcome', 'gen_ai.evaluation.score.value': outcome },
              },
            ],
    },
    chat(1, [user], call),
    {
      traceId,
      spanId: spanIdOf(trace * 10 + 2),
      parentSpanId: root,
      name: 'execute_tool find',
      startMs: startMs + 2,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'find',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.arguments': '{"name": "Ada"}',
        'gen_ai.tool.call.result': '{"id": 7}',
      },
    },
    chat(3, [user, call, answer], { role: 'assistant', parts: [{ type: 'text', content: 'It is 7.' }] }),
  ];
}
