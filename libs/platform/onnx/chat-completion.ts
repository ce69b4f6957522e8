import { randomInt } from 'node:crypto';

import { z } from 'zod';

import { ChatMessage, ChatToolCall, ToolDefinition } from '#contracts/chat';
import { samplingOf, type PolicyCard } from '#contracts/policy';
import { AppError } from '#kernel/errors';

import type { BatchScheduler } from './batch-scheduler.js';
import type { ChatTemplate } from './chat-template.js';
import type { Generation } from './decode-lane.js';
import type { PolicyTokenizer } from './tokenizer.js';
import { parseToolCalls } from './tool-parser.js';

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const Content = z
  .union([
    z.string(),
    z.null(),
    z.array(TextPart).transform((parts) => parts.map((part) => part.text).join('')),
  ])
  .default(null);

/** The part of OpenAI's request that this server honours; what it does not know it ignores, as vLLM does. */
export const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z
    .array(ChatMessage.extend({ content: Content, tool_calls: z.array(ChatToolCall).nullish() }))
    .min(1),
  tools: z.array(ToolDefinition).nullish(),
  tool_choice: z.unknown().optional(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_tokens: z.number().int().positive().nullish(),
  max_completion_tokens: z.number().int().positive().nullish(),
  seed: z.number().int().nullish(),
  n: z.literal(1, { error: 'only one choice a request is made' }).nullish(),
  stream: z.literal(false, { error: 'streaming is not supported; leave stream out' }).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.literal(0, { error: 'only the log-probability of the drawn token is given' }).nullish(),
  return_token_ids: z.boolean().nullish(),
  ignore_eos: z.boolean().nullish(),
});
export type ChatRequest = z.output<typeof ChatRequest>;

export interface ChatParts {
  tokenizer: PolicyTokenizer;
  template: ChatTemplate;
  scheduler: BatchScheduler;
  card: PolicyCard;
  /** UUIDv7s. */
  newId(): string;
  nowMs(): number;
}

export interface ChatCompletion {
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  [field: string]: unknown;
}

/**
 * Answers one request.
 * @throws AppError `request.invalid` where prompt and answer do not fit into the context, and what the scheduler throws.
 */
export async function completeChat(
  parts: ChatParts,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<ChatCompletion> {
  const tools = request.tools ?? [];
  const messages = request.messages.map(({ tool_calls, ...message }) =>
    tool_calls ? { ...message, tool_calls } : message,
  );
  const prompt = parts.tokenizer.encode(parts.template.render(messages, tools));
  const defaults = samplingOf(parts.card);
  const generation = await parts.scheduler.generate(request.model, {
    prompt,
    maxTokens: answerTokens(parts.card, prompt.length, request),
    sampling: {
      temperature: request.temperature ?? defaults.temperature,
      topP: request.top_p ?? defaults.topP,
    },
    seed: request.seed ?? randomInt(2 ** 32),
    logprobs: request.logprobs ?? false,
    ignoreEnd: request.ignore_eos ?? false,
    signal,
  });
  const mayCall = tools.length > 0 && request.tool_choice !== 'none';
  return {
    id: `chatcmpl-${parts.newId()}`,
    object: 'chat.completion',
    created: Math.floor(parts.nowMs() / 1000),
    model: request.model,
    choices: [choiceOf(parts, generation, { mayCall, request })],
    usage: {
      prompt_tokens: prompt.length,
      completion_tokens: generation.tokens.length,
      total_tokens: prompt.length + generation.tokens.length,
    },
    ...(request.return_token_ids ? { prompt_token_ids: prompt } : {}),
  };
}

function answerTokens(card: PolicyCard, promptTokens: number, request: ChatRequest): number {
  const asked = request.max_completion_tokens ?? request.max_tokens;
  const room = card.maxContextTokens - promptTokens;
  if (room >= (asked ?? 1)) return asked ?? Math.min(room, samplingOf(card).maxTokens);
  throw new AppError('request.invalid', {
    public:
      `The policy's context length is ${card.maxContextTokens} tokens, but the prompt has ${promptTokens} and ` +
      `${asked ?? 'at least 1'} are asked for. Shorten the messages or max_tokens.`,
  });
}

function choiceOf(
  parts: ChatParts,
  generation: Generation,
  options: { mayCall: boolean; request: ChatRequest },
): Record<string, unknown> {
  const { tokens, finishReason } = generation;
  const content = parts.tokenizer.decode(tokens);
  // A turn that was cut off is no call, even if what is there reads like one.
  const calls = options.mayCall && finishReason === 'stop' ? parseToolCalls(content) : null;
  const message = calls
    ? {
        role: 'assistant',
        content: null,
        tool_calls: calls.map((call) => ({ id: `call_${parts.newId()}`, type: 'function', function: call })),
      }
    : { role: 'assistant', content };
  return {
    index: 0,
    message,
    logprobs: options.request.logprobs ? { content: tokenLogprobs(parts.tokenizer, generation) } : null,
    finish_reason: calls ? 'tool_calls' : finishReason,
    ...(options.request.return_token_ids ? { token_ids: tokens } : {}),
  };
}

function tokenLogprobs(
  tokenizer: PolicyTokenizer,
  { tokens, logprobs }: Generation,
): Record<string, unknown>[] {
  return tokens.map((id, i) => {
    const token = tokenizer.decode([id], { special: true });
    return { token, logprob: logprobs[i] ?? null, bytes: [...Buffer.from(token)], top_logprobs: [] };
  });
}
