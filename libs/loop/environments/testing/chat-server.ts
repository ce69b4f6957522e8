/** A small OpenAI-speaking server for specs: it answers from a script and can play faults. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChatMessage } from '#contracts/chat';
import type { EnvironmentTask } from '#contracts/environment';

export interface ScriptedRequest {
  model: string;
  messages: ChatMessage[];
  seed: number;
  temperature: number;
}
export type ScriptedReply =
  | { content: string; finishReason?: string }
  | { calls: { name: string; arguments: string }[] }
  | { status: number; body: string }
  | { raw: string }
  | 'hang'
  | 'reset';

export interface ChatServer {
  baseUrl: string;
  requests: ScriptedRequest[];
  close(): Promise<void>;
}

export async function startChatServer(
  script: (request: ScriptedRequest) => ScriptedReply,
): Promise<ChatServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((text) => {
      const parsed = JSON.parse(text) as ScriptedRequest;
      requests.push(parsed);
      answer(response, script(parsed));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { baseUrl: `http://127.0.0.1:${port}`, requests, close: () => closed(server) };
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

function answer(response: ServerResponse, reply: ScriptedReply): void {
  if (reply === 'hang') return;
  if (reply === 'reset') {
    response.destroy();
    return;
  }
  if ('status' in reply) {
    response.writeHead(reply.status).end(reply.body);
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end('raw' in reply ? reply.raw : JSON.stringify(completionOf(reply)));
}

function completionOf(reply: Extract<ScriptedReply, { content: string } | { calls: unknown[] }>): unknown {
  const message =
    'content' in reply
      ? { role: 'assistant', content: reply.content }
      : {
          role: 'assistant',
          content: null,
          tool_calls: reply.calls.map((call, i) => ({ id: `call_${i}`, type: 'function', function: call })),
        };
  const finish_reason = 'content' in reply ? (reply.finishReason ?? 'stop') : 'tool_calls';
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

/** The next right act of a task, from how many tool results the conversation holds. */
export function rightAct(task: EnvironmentTask, messages: readonly ChatMessage[]): ScriptedReply {
  const done = messages.filter((message) => message.role === 'tool').length;
  const call = task.expected.calls[done];
  if (!call) return { content: task.expected.final ?? '' };
  return { calls: [{ name: call.name, arguments: JSON.stringify(call.arguments) }] };
}
