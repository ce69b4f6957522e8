/**
 * Which messages of a conversation already stand as steps. Every model call repeats the conversation so far; a message is
 * new where a call holds it more often than it was said. Counting, not comparing prefixes, also holds when history is cut.
 */
import { canonicalJson } from '#kernel/ids';
import { unwrapJson } from './json.js';
import type { TurnMessage } from './span-facts.js';

export interface NewMessage {
  message: TurnMessage;
  signature: string;
  /** How many equal messages came before it: with the signature, a stable name. */
  occurrence: number;
}

export class MessageLedger {
  private readonly said = new Map<string, number>();
  private readonly looseResults = new Map<string, number>();

  /** A tool span says the result of its call: the same result in a later prompt is not new. */
  noteToolResult(callId: string | undefined, result: string | undefined): void {
    if (callId !== undefined && callId !== '') increase(this.said, `tool:${callId}`);
    else if (result !== undefined) increase(this.looseResults, result);
  }

  /** What a model call answered. */
  noteOutput(messages: readonly TurnMessage[]): void {
    for (const message of messages) increase(this.said, signatureOf(message));
  }

  /** The messages of one prompt that were not said before; they count as said from now on. */
  takeNew(messages: readonly TurnMessage[]): NewMessage[] {
    const here = new Map<string, number>();
    const fresh: NewMessage[] = [];
    for (const message of messages) {
      const signature = signatureOf(message);
      const occurrence = increase(here, signature) - 1;
      if (occurrence < (this.said.get(signature) ?? 0)) continue;
      this.said.set(signature, occurrence + 1);
      if (!this.isLooseResult(message)) fresh.push({ message, signature, occurrence });
    }
    return fresh;
  }

  private isLooseResult(message: TurnMessage): boolean {
    if (message.role !== 'tool' || message.content === null) return false;
    const left = this.looseResults.get(message.content) ?? 0;
    if (left > 0) this.looseResults.set(message.content, left - 1);
    return left > 0;
  }
}

function signatureOf(message: TurnMessage): string {
  if (message.role === 'tool' && message.toolCallId !== undefined && message.toolCallId !== '')
    return `tool:${message.toolCallId}`;
  const calls = (message.toolCalls ?? []).map((call) => [
    call.id,
    call.name,
    canonicalJson(unwrapJson(call.arguments)),
  ]);
  return canonicalJson([message.role, message.content ?? '', calls]);
}

function increase(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
