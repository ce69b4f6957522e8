/** The steps of a trajectory as OpenAI chat messages, one a step: what every export but the canonical one is made of. */
import type { ChatMessage } from '#contracts/chat';
import type { Step, Trajectory } from '#contracts/trajectory';
import { definedOnly } from '../domain/json.js';

/** `name` is the tool of a result, or the speaker where it is not the trajectory's own agent. */
export type ExportMessage = ChatMessage & { error?: string };

export function chatMessagesOf(trajectory: Trajectory): ExportMessage[] {
  return trajectory.steps.map((step) => chatMessageOf(step, trajectory.agent));
}

export function chatMessageOf(step: Step, agent: string): ExportMessage {
  return definedOnly({
    role: step.role,
    content: step.content,
    name: nameOf(step, agent),
    tool_calls:
      step.role === 'assistant'
        ? step.toolCalls?.map(({ id, name, arguments: args }) => ({
            id,
            type: 'function' as const,
            function: { name, arguments: args },
          }))
        : undefined,
    tool_call_id: step.role === 'tool' ? step.toolCallId : undefined,
    error: step.error,
  });
}

function nameOf(step: Step, agent: string): string | undefined {
  if (step.role === 'tool') return step.toolName;
  return step.role === 'assistant' && step.agent !== agent ? step.agent : undefined;
}
