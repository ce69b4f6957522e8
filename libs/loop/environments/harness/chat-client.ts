/** One chat-completions call to a policy. What fails on the way is told apart from what the policy did. */
import { z } from 'zod';
import { ChatToolCall, type ChatMessage, type ToolDefinition } from '#contracts/chat';
import type { ModelCall } from '#contracts/rollout';
import { messageOf } from '#kernel/errors';

export interface PolicyEndpoint {
  /** With or without a trailing `/v1`. */
  baseUrl: string;
  key?: string;
  /** Name the server knows it by: content name of an adapter, or of the base. */
  model: string;
  /** Of one call, headers to last byte. */
  timeoutMs?: number;
}

export interface Sampling {
  temperature: number;
  topP: number;
  maxTokens: number;
}

export interface ChatRequest {
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  sampling: Sampling;
  seed: number;
}

export type ChatReply =
  | { state: 'answered'; message: ChatMessage; finishReason: string; call: ModelCall }
  /** The prompt no longer fits: the policy's own doing, so no infrastructure. */
  | { state: 'too_long' }
  /** Infrastructure, whatever the policy wrote. `kind` e.g. `policy_http_503`. */
  | { state: 'unavailable'; kind: string; reason: string; retriable: boolean };

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), tool_calls: z.array(ChatToolCall).nullish() }),
        finish_reason: z.string().nullish(),
      }),
    )
    .min(1),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

const DEFAULT_TIMEOUT_MS = 60_000;

/** Never throws, except when `signal` is aborted. */
export async function complete(
  policy: PolicyEndpoint,
  request: ChatRequest,
  signal?: AbortSignal,
): Promise<ChatReply> {
  const timeout = AbortSignal.timeout(policy.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const startedMs = performance.now();
  try {
    const response = await fetch(`${policy.baseUrl.replace(/\/(v1\/?)?$/, '')}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(policy.key === undefined ? {} : { authorization: `Bearer ${policy.key}` }),
      },
      body: bodyOf(policy, request),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await response.text();
    const latencyMs = performance.now() - startedMs;
    return response.ok ? answerOf(text, latencyMs) : refusalOf(response.status, text);
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) {
      return { state: 'unavailable', kind: 'policy_timeout', reason: 'no answer in time', retriable: false };
    }
    const reason = messageOf((error as Error).cause ?? error);
    return { state: 'unavailable', kind: 'policy_connection', reason, retriable: true };
  }
}

function bodyOf(policy: PolicyEndpoint, { messages, tools, sampling, seed }: ChatRequest): string {
  return JSON.stringify({
    model: policy.model,
    messages,
    ...(tools.length > 0 ? { tools, tool_choice: 'auto' } : {}),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    max_tokens: sampling.maxTokens,
    seed,
    stream: false,
  });
}

function answerOf(text: string, latencyMs: number): ChatReply {
  const parsed = Completion.safeParse(parseJson(text));
  const choice = parsed.data?.choices[0];
  if (!choice) {
    const reason = 'the answer is no chat completion';
    return { state: 'unavailable', kind: 'policy_bad_response', reason, retriable: false };
  }
  const calls = choice.message.tool_calls ?? [];
  const message: ChatMessage = { role: 'assistant', content: choice.message.content ?? null };
  return {
    state: 'answered',
    message: calls.length > 0 ? { ...message, tool_calls: calls } : message,
    finishReason: choice.finish_reason ?? 'stop',
    call: {
      latencyMs,
      promptTokens: parsed.data?.usage?.prompt_tokens ?? 0,
      completionTokens: parsed.data?.usage?.completion_tokens ?? 0,
    },
  };
}

/** vLLM and OpenAI answer 400 with these words when prompt and completion exceed the window. */
const TOO_LONG = /context.{0,12}(length|window)|too many tokens|max_model_len/i;

function refusalOf(status: number, text: string): ChatReply {
  if (status === 400 && TOO_LONG.test(text)) return { state: 'too_long' };
  const retriable = status >= 500 || status === 429 || status === 408;
  return { state: 'unavailable', kind: `policy_http_${status}`, reason: text.slice(0, 300), retriable };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
