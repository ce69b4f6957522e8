/** The messages of a recorded run → steps, one a message: the index of a step is the index of its message. */
import { contentHash } from '#kernel/ids';
import type { Step } from '../domain/contract.js';
import { definedOnly, isObject } from '../domain/json.js';
import { fromOpenAi } from '../domain/messages.js';
import type { TurnMessage } from '../domain/span-facts.js';
import { BadRow } from './format.js';

/** A message as a source tells it. An assistant's `name` is the agent that speaks, where several do. */
export interface RecordedTurn {
  message: TurnMessage;
  /** What went wrong, where the source says so apart from the content. */
  error?: string | undefined;
  /** Place in the source, 0-based; several turns may come out of one place. The turn's own place where absent. */
  sourceIndex?: number;
}

export interface StepsContext {
  /** Makes the step ids: the same row gives the same ids. */
  rowId: string;
  agent: string;
}

/** Whether the value is a conversation: a list of what has a role each. */
export function isChat(value: unknown): value is Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isObject(item) && 'role' in item);
}

/** OpenAI chat messages. @throws BadRow for what is no message. */
export function stepsOfChat(messages: readonly unknown[], context: StepsContext): Step[] {
  return stepsOfTurns(
    messages.map((raw, index) => {
      if (!isObject(raw)) throw new BadRow(`message ${index} is not an object`);
      if (typeof raw['role'] !== 'string') throw new BadRow(`message ${index} has no role`);
      return {
        message: fromOpenAi(raw),
        error: typeof raw['error'] === 'string' ? raw['error'] : undefined,
      };
    }),
    context,
  );
}

export function stepsOfTurns(turns: readonly RecordedTurn[], context: StepsContext): Step[] {
  const toolNames = new PendingCalls();
  return turns.map(({ message, error, sourceIndex }, index) => {
    const called = toolNames.follow(message);
    return definedOnly({
      stepId: contentHash(['row', context.rowId, index], 24),
      index,
      sourceIndex: sourceIndex ?? index,
      kind: kindOf(message.role),
      role: message.role,
      agent: message.role === 'assistant' ? (message.name ?? context.agent) : context.agent,
      content: message.content,
      toolCalls: message.toolCalls,
      toolName: message.role === 'tool' ? (message.name ?? called) : undefined,
      toolCallId: message.toolCallId,
      error,
    });
  });
}

/**
 * Where commands stand in the text, what runs them answers as a user: such messages, once the model has spoken, are
 * observations. Their role stays the source's, so that the conversation can be told to a model again.
 */
export function withRepliesObserved(steps: readonly Step[], isReply: (step: Step) => boolean): Step[] {
  const spoken = steps.findIndex((step) => step.role === 'assistant');
  return steps.map((step) => {
    const replies = spoken >= 0 && step.index > spoken && step.role === 'user' && isReply(step);
    return replies ? { ...step, kind: 'observation' } : step;
  });
}

function kindOf(role: TurnMessage['role']): Step['kind'] {
  if (role === 'assistant') return 'model_call';
  return role === 'tool' ? 'observation' : 'message';
}

/**
 * The name of the call that a result answers. An id may be used again for another call of the same run, so the latest
 * unanswered call of that id counts; without an id results answer calls in order.
 */
class PendingCalls {
  private open: { id: string; name: string }[] = [];

  follow(message: TurnMessage): string | undefined {
    for (const { id, name } of message.toolCalls ?? []) this.open.push({ id, name });
    if (message.role !== 'tool') return undefined;
    const id = message.toolCallId ?? '';
    const at =
      id === '' ? (this.open.length > 0 ? 0 : -1) : this.open.findLastIndex((call) => call.id === id);
    return at < 0 ? undefined : this.open.splice(at, 1)[0]?.name;
  }
}
