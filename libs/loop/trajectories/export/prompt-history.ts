/** What a trajectory said before each model call, as GenAI messages: the prompts of an exported trace. */
import type { Step, Trajectory } from '#contracts/trajectory';
import { canonicalJson } from '#kernel/ids';
import { definedOnly } from '../domain/json.js';

/**
 * Every prompt repeats the conversation, which grows with its square. Above this many characters in all prompts together a
 * prompt holds what is new since the last one, and what it repeats word for word, so that a reader can count.
 */
const MAX_PROMPT_CHARS = 4 * 1024 * 1024;

export interface GenAiMessage {
  role: Step['role'];
  parts: Record<string, unknown>[];
  name?: string;
}

/** Arguments stay the model's own text. `name` is the speaker where it is not the trajectory's own agent. */
export function genAiMessage(step: Step, agent: string): GenAiMessage {
  const text = step.content === null ? [] : [{ type: 'text', content: step.content }];
  if (step.role === 'tool') {
    const answer = {
      type: 'tool_call_response',
      id: step.toolCallId,
      name: step.toolName,
      response: step.content,
    };
    return { role: 'tool', parts: [definedOnly(answer)] };
  }
  const calls = (step.role === 'assistant' ? (step.toolCalls ?? []) : []).map((call) => ({
    type: 'tool_call',
    ...call,
  }));
  const speaker = step.role === 'assistant' && step.agent !== agent ? { name: step.agent } : {};
  return definedOnly({ role: step.role, parts: [...text, ...calls], ...speaker });
}

interface Said {
  message: GenAiMessage;
  signature: string;
  at: number;
}

export class PromptHistory {
  private readonly said: Said[];
  private readonly whole: boolean;
  private readonly calls: number[];

  constructor(trajectory: Trajectory) {
    const { steps, agent } = trajectory;
    const spanned = steps.some((step) => step.kind === 'model_call');
    this.said = steps.flatMap((step, at) => {
      // A tool's span tells this result; with neither an id nor a text no reader can see that a prompt repeats it.
      if (step.role === 'tool' && spanned && step.content === null && (step.toolCallId ?? '') === '')
        return [];
      const message = genAiMessage(step, agent);
      return [{ message, signature: signatureOf(step, message), at }];
    });
    this.calls = steps.flatMap((step, at) => (step.kind === 'model_call' ? [at] : []));
    this.whole = promptChars(this.said, this.calls) <= MAX_PROMPT_CHARS;
  }

  all(): GenAiMessage[] {
    return this.said.map(({ message }) => message);
  }

  /** The prompt of the model call that is step `at`. */
  before(at: number): GenAiMessage[] {
    const earlier = this.said.filter((item) => item.at < at);
    if (this.whole) return earlier.map(({ message }) => message);
    const last = this.calls.findLast((call) => call < at) ?? -1;
    const fresh = new Set(earlier.filter((item) => item.at > last).map(({ signature }) => signature));
    return earlier.filter(({ signature }) => fresh.has(signature)).map(({ message }) => message);
  }
}

function promptChars(said: readonly Said[], calls: readonly number[]): number {
  return said.reduce((total, { signature, at }) => {
    const prompts = calls.filter((call) => call > at).length;
    return total + prompts * signature.length;
  }, 0);
}

/** Equal for messages that a reader takes for the same: results by the id of their call, anything else by what it says. */
function signatureOf(step: Step, message: GenAiMessage): string {
  const id = step.role === 'tool' ? step.toolCallId : undefined;
  return id !== undefined && id !== '' ? `tool:${id}` : canonicalJson(message);
}
