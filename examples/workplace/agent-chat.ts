/** The agent's model: chat completions at a base URL, whoever serves them. */
import { setTimeout as delay } from 'node:timers/promises';
import type { ChatMessage, ChatToolCall, ToolDefinition } from '#contracts/chat';

export interface ModelEndpoint {
  /** Without `/v1`. */
  baseUrl: string;
  key: string | undefined;
}

export interface ModelAnswer {
  responseId: string;
  model: string;
  message: ChatMessage;
  finishReason: string;
  inputTokens: number;
  outputTokens: number;
  /** What the server says it is busy with, from `x-ratchet-busy`; null when it is not. */
  busyWith: string | null;
}

/** The model could not be asked. `type` as in `error.type` of a span: an HTTP status or `connection`. */
export class ModelError extends Error {
  constructor(
    readonly type: string,
    message: string,
  ) {
    super(message);
  }
}

interface Completion {
  id: string;
  model: string;
  choices: {
    message: { content?: string | null; tool_calls?: ChatToolCall[] | null };
    finish_reason: string | null;
  }[];
  usage?: { prompt_tokens: number; completion_tokens: number };
}

const ATTEMPTS = 4;
const TIMEOUT_MS = 30_000;
const LONGEST_WAIT_MS = 5_000;

export function authHeaders({ key }: ModelEndpoint): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

/** Milliseconds that the answer asks to wait, else a growing time. */
export function waitMs(retryAfter: string | null, attempt: number): number {
  const askedS = Number(retryAfter ?? Number.NaN);
  return Math.min(LONGEST_WAIT_MS, Number.isFinite(askedS) ? askedS * 1000 : 250 * 2 ** attempt);
}

/** Asks once more where the server is full or away. @throws ModelError */
export async function askModel(
  endpoint: ModelEndpoint,
  request: { messages: readonly ChatMessage[]; tools: readonly ToolDefinition[]; sessionId: string },
): Promise<ModelAnswer> {
  for (let attempt = 0; ; attempt++) {
    const response = await post(endpoint, request).catch((error: unknown) => error as Error);
    const last = attempt + 1 >= ATTEMPTS;
    if (response instanceof Error) {
      if (last) throw new ModelError('connection', response.message);
      await delay(waitMs(null, attempt));
    } else if (response.ok) {
      return answerOf((await response.json()) as Completion, response.headers.get('x-ratchet-busy'));
    } else {
      const text = await response.text();
      const full = response.status === 429 || response.status === 503;
      if (!full || last) throw new ModelError(String(response.status), text.slice(0, 300));
      await delay(waitMs(response.headers.get('retry-after'), attempt));
    }
  }
}

function post(
  endpoint: ModelEndpoint,
  request: { messages: readonly ChatMessage[]; tools: readonly ToolDefinition[]; sessionId: string },
): Promise<Response> {
  return fetch(`${endpoint.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-ratchet-session': request.sessionId,
      ...authHeaders(endpoint),
    },
    body: JSON.stringify({ model: 'default', messages: request.messages, tools: request.tools }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
}

function answerOf(completion: Completion, busyWith: string | null): ModelAnswer {
  const choice = completion.choices[0];
  if (!choice) throw new ModelError('no_choice', 'the answer has no choice');
  const calls = choice.message.tool_calls ?? [];
  const content = choice.message.content ?? null;
  return {
    responseId: completion.id,
    model: completion.model,
    message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
    finishReason: choice.finish_reason ?? 'stop',
    inputTokens: completion.usage?.prompt_tokens ?? 0,
    outputTokens: completion.usage?.completion_tokens ?? 0,
    busyWith,
  };
}
