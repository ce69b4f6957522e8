/**
 * The two loads. A: agent runs whose messages repeat from call to call, as real ones do. B: the same spans with text that
 * never repeats, where nothing can be saved by saying it once.
 */
import { seededRng, type Rng } from '#kernel/random';
import { exportRequest, type SpanSpec } from './protobuf.js';

export type PayloadName = 'A' | 'B';

export interface Payload {
  bodies: Buffer[];
  spans: number;
  traces: number;
  bytes: number;
}

export interface PayloadOptions {
  name: PayloadName;
  traces: number;
  seed: number;
  /** Start of the first trace. */
  startNs: bigint;
}

export const SPANS_A_TRACE = 9;
const SPANS_A_BODY = 512;
const CALLS = 4;
const FAILED_TOOLS = 0.05;
/** Mean text of a span of B. */
const B_SPAN_CHARS = 12_000;
const WORDS =
  'order refund booking invoice calendar customer flight ticket policy account search update cancel confirm status email address payment'.split(
    ' ',
  );
const TOOLS = ['get_order', 'search_flights', 'update_ticket', 'send_email'];
const RESOURCE = { 'service.name': 'support-agent', 'deployment.environment.name': 'production' };

/** The request bodies of `traces` runs, nine spans each. */
export function payloadOf({ name, traces, seed, startNs }: PayloadOptions): Payload {
  const rng = seededRng(seed);
  const bodies: Buffer[] = [];
  let waiting: SpanSpec[] = [];
  for (let trace = 0; trace < traces; trace++) {
    const at = startNs + BigInt(trace) * 1_000_000n;
    waiting.push(...(name === 'A' ? agentRun(rng, at) : freshRun(rng, at)));
    if (waiting.length < SPANS_A_BODY && trace < traces - 1) continue;
    bodies.push(exportRequest(waiting, RESOURCE));
    waiting = [];
  }
  return {
    bodies,
    spans: traces * SPANS_A_TRACE,
    traces,
    bytes: bodies.reduce((sum, body) => sum + body.length, 0),
  };
}

const words = (rng: Rng, count: number): string =>
  Array.from({ length: count }, () => rng.pick(WORDS)).join(' ');

const bytes = (rng: Rng, count: number): Uint8Array => Uint8Array.from({ length: count }, () => rng.int(256));

const hex = (rng: Rng, digits: number): string =>
  Array.from({ length: digits }, () => rng.int(16).toString(16)).join('');

/** As Python's `json.dumps` writes it, which most instrumentations are: a space after each comma and colon. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${spaced(member)}`);
  return `{${members.join(', ')}}`;
}

function agentRun(rng: Rng, startNs: bigint): SpanSpec[] {
  const traceId = bytes(rng, 16);
  const root = bytes(rng, 8);
  const conversation = `conv-${hex(rng, 12)}`;
  const message = (role: string, content: string): object => ({ role, parts: [{ type: 'text', content }] });
  const history = [
    message('system', `You are a support agent. ${words(rng, 120)}`),
    message('user', words(rng, 40)),
  ];
  const spans: SpanSpec[] = [];
  let at = startNs;
  const span = (name: string, ms: number, attributes: SpanSpec['attributes'], more = {}): void => {
    const endNs = at + BigInt(ms) * 1_000_000n;
    const ids = { traceId, spanId: bytes(rng, 8), parentSpanId: root };
    spans.push({ ...ids, name, kind: 1, startNs: at, endNs, attributes, ...more });
    at = endNs;
  };
  for (let call = 0; call < CALLS; call++) {
    const name = rng.pick(TOOLS);
    const id = `call_${hex(rng, 10)}`;
    const args = { id: rng.int(1_000_000), note: words(rng, 8) };
    const asked = {
      role: 'assistant',
      parts: [{ type: 'tool_call', id, name, arguments: args }],
      finish_reason: 'tool_call',
    };
    const input = spaced(history);
    span(
      'chat nemotron',
      200 + rng.int(700),
      {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'vllm',
        'gen_ai.request.model': 'nemotron-nano-9b-v2',
        'gen_ai.conversation.id': conversation,
        'gen_ai.usage.input_tokens': Math.floor(input.length / 4),
        'gen_ai.usage.output_tokens': 40,
        'gen_ai.input.messages': input,
        'gen_ai.output.messages': spaced([asked]),
      },
      { kind: 3 },
    );
    const isFailed = rng.next() < FAILED_TOOLS;
    const response = isFailed ? { error: 'not found' } : { ok: true, data: words(rng, 60) };
    span(
      `execute_tool ${name}`,
      5 + rng.int(75),
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': name,
        'gen_ai.tool.call.id': id,
        'gen_ai.tool.call.arguments': spaced(args),
        'gen_ai.tool.call.result': spaced(response),
      },
      { statusCode: isFailed ? 2 : 1 },
    );
    history.push(asked, { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] });
  }
  return [...spans, entry({ traceId, root, conversation, startNs, endNs: at })];
}

/** As A in shape; every text is letters and digits by chance, which no dictionary has. */
function freshRun(rng: Rng, startNs: bigint): SpanSpec[] {
  const traceId = bytes(rng, 16);
  const root = bytes(rng, 8);
  const conversation = `conv-${hex(rng, 12)}`;
  const text = (): string => {
    const chars = 2 * rng.int(B_SPAN_CHARS);
    let made = '';
    while (made.length < chars) made += `${Math.floor(rng.next() * 2 ** 52).toString(36)} `;
    return made;
  };
  const spans = Array.from({ length: SPANS_A_TRACE - 1 }, (_, n): SpanSpec => {
    const at = startNs + BigInt(n) * 10_000_000n;
    const times = { startNs: at, endNs: at + 9_000_000n };
    const ids = { traceId, spanId: bytes(rng, 8), parentSpanId: root };
    if (n % 2 === 0) {
      const messages = [{ role: 'user', parts: [{ type: 'text', content: text() }] }];
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.request.model': 'nemotron-nano-9b-v2',
        'gen_ai.conversation.id': conversation,
        'gen_ai.input.messages': spaced(messages),
      };
      return { ...ids, ...times, name: 'chat nemotron', kind: 3, attributes };
    }
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': rng.pick(TOOLS),
      'gen_ai.tool.call.result': text(),
    };
    return { ...ids, ...times, name: 'execute_tool', kind: 1, attributes };
  });
  return [...spans, entry({ traceId, root, conversation, startNs, endNs: startNs + 90_000_000n })];
}

function entry(run: {
  traceId: Uint8Array;
  root: Uint8Array;
  conversation: string;
  startNs: bigint;
  endNs: bigint;
}): SpanSpec {
  const { traceId, root, conversation, startNs, endNs } = run;
  return {
    traceId,
    spanId: root,
    name: 'invoke_agent support',
    kind: 1,
    startNs,
    endNs,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': 'support',
      'gen_ai.agent.version': '7',
      'gen_ai.conversation.id': conversation,
    },
  };
}
