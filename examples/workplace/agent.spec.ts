import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';

import type { ChatMessage } from '#contracts/chat';

import { pauseMs } from './agent-pace.js';
import { workplaceEnvironment } from './index.js';

const AGENT = fileURLToPath(new URL('./agent.ts', import.meta.url));
const LOADER = new URL('../../libs/platform/process/typescript-loader.mjs', import.meta.url).href;
const SEED = 5;
const environment = workplaceEnvironment();
const tasks = environment.tasks({ split: 'train', suite: 'traffic', count: 90, seed: SEED });

interface WireSpan {
  traceId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: string } }[];
  events: { name: string; attributes: WireSpan['attributes'] }[];
}

/** A model that does half of the tasks right and gives up on the others, and a collector that is full at first. */
class ModelAndCollector {
  readonly spans: WireSpan[] = [];
  readonly responseIds: string[] = [];
  readonly sessions = new Set<string>();
  refusals = 2;
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.handle(request, response));
  }

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as { messages: ChatMessage[]; resourceSpans: Export[] };
    if (request.url === '/v1/chat/completions') {
      this.sessions.add(String(request.headers['x-ratchet-session']));
      response.end(JSON.stringify(this.complete(body.messages)));
    } else if (this.refusals > 0) {
      this.refusals -= 1;
      response.writeHead(503, { 'retry-after': '0' }).end();
    } else {
      this.spans.push(
        ...body.resourceSpans.flatMap((part) => part.scopeSpans.flatMap((scope) => scope.spans)),
      );
      response.end('{"partialSuccess":{}}');
    }
  }

  private complete(messages: ChatMessage[]): Record<string, unknown> {
    const index = tasks.findIndex((task) => task.messages[0]?.content === messages[0]?.content);
    const turn = messages.filter((message) => message.role === 'tool').length;
    const next = index % 2 === 0 ? tasks[index]?.expected.calls[turn] : undefined;
    const id = `r${this.responseIds.length}`;
    this.responseIds.push(id);
    const call = next && { name: next.name, arguments: JSON.stringify(next.arguments) };
    const message = call
      ? { content: null, tool_calls: [{ id: `c${turn}`, type: 'function', function: call }] }
      : { content: 'done' };
    return {
      id,
      model: 'policy-1',
      choices: [{ message, finish_reason: call ? 'tool_calls' : 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    };
  }
}
interface Export {
  scopeSpans: { spans: WireSpan[] }[];
}

function startAgent(baseUrl: string): ChildProcess {
  const args = ['--conditions=source', '--import', LOADER, AGENT, '--rate', '100', '--seed', String(SEED)];
  return spawn(process.execPath, args, {
    env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'k' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

/** Closes the agent's standard input; its counts. */
async function endAgent(agent: ChildProcess): Promise<Record<string, number>> {
  let output = '';
  agent.stdout?.on('data', (data) => (output += String(data)));
  agent.stdin?.end();
  const [code] = (await once(agent, 'close')) as [number];
  expect(code).toBe(0);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, number>;
}

const until = async (met: () => boolean): Promise<void> => {
  while (!met()) await new Promise((resolve) => setTimeout(resolve, 20));
};
const textOf = (span: WireSpan, key: string): string | undefined =>
  span.attributes.find((attribute) => attribute.key === key)?.value.stringValue;

describe('the demo agent', () => {
  let world: ModelAndCollector;
  beforeEach(() => {
    world = new ModelAndCollector();
  });
  afterEach(() => world.stop());

  it('reports every run once, with every call, although the collector was full at first', async () => {
    const agent = startAgent(await world.start());
    await until(() => world.spans.filter((span) => span.parentSpanId === undefined).length >= 20);
    const counts = await endAgent(agent);
    const roots = world.spans.filter((span) => span.parentSpanId === undefined);
    expect(counts).toMatchObject({
      runs: roots.length,
      exportedRuns: roots.length,
      droppedRuns: 0,
      rejectedSpans: 0,
    });
    expect(counts['retries']).toBeGreaterThanOrEqual(2);
    const reported = world.spans.flatMap((span) => textOf(span, 'gen_ai.response.id') ?? []);
    expect(new Set(reported).size).toBe(reported.length);
    expect(reported).toHaveLength(counts['modelCalls'] ?? -1);
    if (counts['unfinishedRuns'] === 0) expect(reported.sort()).toEqual([...world.responseIds].sort());
    expect(roots.every((root) => world.sessions.has(textOf(root, 'gen_ai.conversation.id') ?? ''))).toBe(
      true,
    );
  });

  it('judges its runs and tells tasks, tools, calls and results by their GenAI names', async () => {
    const agent = startAgent(await world.start());
    await until(() => world.spans.filter((span) => span.parentSpanId === undefined).length >= 6);
    await endAgent(agent);
    for (const root of world.spans.filter((span) => span.parentSpanId === undefined)) {
      const index = tasks.findIndex((task) => task.id === textOf(root, 'workplace.task_id'));
      const right = index % 2 === 0;
      expect(root.name).toBe('invoke_agent workplace-assistant');
      expect(textOf(root, 'workplace.family')).toBe(tasks[index]?.family);
      expect(root.events).toHaveLength(1);
      expect(root.events[0]?.attributes).toContainEqual({
        key: 'gen_ai.evaluation.score.value',
        value: { intValue: right ? '1' : '0' },
      });
      const children = world.spans.filter((span) => span.traceId === root.traceId && span !== root);
      const used = children.filter((span) => span.name.startsWith('execute_tool '));
      const wanted = right ? tasks[index]?.expected.calls : [];
      expect(used.map((span) => textOf(span, 'gen_ai.tool.name'))).toEqual(wanted?.map((call) => call.name));
      expect(used.map((span) => textOf(span, 'gen_ai.tool.call.arguments'))).toEqual(
        wanted?.map((call) => JSON.stringify(call.arguments)),
      );
      expect(children.length).toBe(2 * used.length + 1);
      expect(
        children.every((child) => BigInt(child.startTimeUnixNano) >= BigInt(root.startTimeUnixNano)),
      ).toBe(true);
      expect(children.every((child) => BigInt(child.endTimeUnixNano) <= BigInt(root.endTimeUnixNano))).toBe(
        true,
      );
    }
  });

  it('counts what it could not send and ends all the same', async () => {
    world.refusals = Infinity;
    const agent = startAgent(await world.start());
    await until(() => world.responseIds.length >= 10);
    const counts = await endAgent(agent);
    expect(counts['runs']).toBeGreaterThan(0);
    expect(counts).toMatchObject({ exportedRuns: 0, droppedRuns: counts['runs'] });
  });

  it('yields to a busy server and goes back to its own rate after', () => {
    expect(pauseMs(4, null)).toBe(250);
    expect(pauseMs(4, 'training')).toBe(2000);
    expect(pauseMs(0.1, 'training')).toBe(10_000);
  });
});
