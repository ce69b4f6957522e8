/**
 * OpenAI *Responses* output items, as NeMo Gym sends them to `/verify`, read as the transcript a verifier sees.
 * Source: NeMo Gym 0.7, base_resources_server and base_responses_api_agent.
 */
import { z } from 'zod';
import type { ChatMessage } from '#contracts/chat';
import type { RolloutTranscript } from '#contracts/environment';
import { looksLikeToolCall } from './tool-call-text.js';

const FunctionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const FunctionCallOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.string(),
});
const Message = z.object({
  type: z.literal('message'),
  role: z.enum(['assistant', 'user', 'system', 'developer']).default('assistant'),
  content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]),
});
const Reasoning = z.object({ type: z.literal('reasoning') });

/** Items carry more members (ids, token ids, log-probs); what a verdict does not need is dropped. */
export const ResponseItem = z.discriminatedUnion('type', [
  FunctionCall,
  FunctionCallOutput,
  Message,
  Reasoning,
]);
export type ResponseItem = z.infer<typeof ResponseItem>;

/** Why generation stopped short: the trainer's own word, or OpenAI's `max_output_tokens`; `true` means length. */
export const Incomplete = z.union([
  z.boolean(),
  z.enum(['length', 'max_output_tokens', 'step_limit', 'invalid_output']),
]);
export type Incomplete = z.infer<typeof Incomplete>;

/** The prompt and the items as one transcript. Calls that follow each other without an answer are one turn. */
export function transcriptOf(
  prompt: readonly ChatMessage[],
  items: readonly ResponseItem[],
  incomplete: Incomplete | null = null,
): RolloutTranscript {
  const messages: ChatMessage[] = [...prompt];
  for (const item of items) {
    if (item.type === 'message') messages.push({ role: chatRole(item.role), content: textOf(item) });
    if (item.type === 'function_call') appendCall(messages, item, prompt.length);
    if (item.type === 'function_call_output') {
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output });
    }
  }
  return { messages, stopReason: stopReasonOf(messages, incomplete) };
}

function chatRole(role: z.infer<typeof Message>['role']): ChatMessage['role'] {
  return role === 'developer' ? 'system' : role;
}

function textOf(item: z.infer<typeof Message>): string {
  if (typeof item.content === 'string') return item.content;
  return item.content.map((part) => part.text ?? '').join('');
}

/** Messages of the prompt are the task's own and stay as they are. */
function appendCall(messages: ChatMessage[], item: z.infer<typeof FunctionCall>, promptLength: number): void {
  const call = {
    id: item.call_id,
    type: 'function' as const,
    function: { name: item.name, arguments: item.arguments },
  };
  const last = messages.at(-1);
  if (last?.role === 'assistant' && messages.length > promptLength)
    last.tool_calls = [...(last.tool_calls ?? []), call];
  else messages.push({ role: 'assistant', content: null, tool_calls: [call] });
}

function stopReasonOf(
  messages: readonly ChatMessage[],
  incomplete: Incomplete | null,
): RolloutTranscript['stopReason'] {
  const last = messages.at(-1);
  const ended = last?.role === 'assistant' && (last.tool_calls ?? []).length === 0;
  if (incomplete === 'step_limit' || incomplete === 'invalid_output') return incomplete;
  if (ended && looksLikeToolCall(last.content)) return 'invalid_output';
  if (incomplete !== null && incomplete !== false) return 'length';
  return ended ? 'stop' : 'step_limit';
}
