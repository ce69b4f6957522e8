/**
 * OpenAI chat-completions shapes as the loop uses them between harness, environments and policies.
 * Source: OpenAI API reference (chat completions, function tools).
 */
import { z } from 'zod';

export const ToolDefinition = z.object({
  type: z.literal('function'),
  function: z.object({
    name: z.string(),
    description: z.string().optional(),
    /** JSON Schema of the arguments object. */
    parameters: z.record(z.string(), z.unknown()),
  }),
});
export type ToolDefinition = z.infer<typeof ToolDefinition>;

export const ChatToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  /** `arguments` is the model's own string, byte for byte; it may be invalid JSON. */
  function: z.object({ name: z.string(), arguments: z.string() }),
});
export type ChatToolCall = z.infer<typeof ChatToolCall>;

export const ChatMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullable(),
  tool_calls: z.array(ChatToolCall).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
});
export type ChatMessage = z.infer<typeof ChatMessage>;
