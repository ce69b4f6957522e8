import type { StepToolCall, Usage } from './contract.js';
import type { ToolDefinition } from '#contracts/chat';

/** A chat message of any dialect. */
export interface TurnMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string | null;
  toolCalls?: StepToolCall[];
  /** The call this message answers. */
  toolCallId?: string;
  name?: string;
}

/** A judgement that the application itself attached to a span. */
export interface Evaluation {
  name: string;
  score?: number;
  label?: string;
}

/** What the dialects of a span say about it together; everything that the span does not say is absent. */
export interface SpanFacts {
  kind: 'agent' | 'model_call' | 'tool_call' | 'other';
  agentName?: string;
  sessionId?: string;
  model?: string;
  responseModel?: string;
  responseId?: string;
  provider?: string;
  finishReasons?: string[];
  usage?: Usage;
  input: TurnMessage[];
  output: TurnMessage[];
  tools: ToolDefinition[];
  toolName?: string;
  toolCallId?: string;
  arguments?: string;
  result?: string;
  error?: string;
  evaluations: Evaluation[];
  /** Which dialect told each fact; counts of tokens under their own names. */
  dialects: Record<string, string>;
}
