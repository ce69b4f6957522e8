/** Plays a scripted run against the real tables: for tests, probes and the hand-scored file. */
import type { ChatMessage } from '#contracts/chat';
import type {
  EnvironmentSession,
  EnvironmentTask,
  ExpectedCall,
  RolloutTranscript,
} from '#contracts/environment';
import { WorkplaceSession } from './session.js';
import { FINAL_MESSAGE } from './vocabulary.js';

export interface ScriptedRun {
  calls: readonly ExpectedCall[];
  /** Last words; null for a run cut off after its last call. */
  final?: string | null;
  stopReason?: RolloutTranscript['stopReason'];
}

/** The session after the run, and its transcript. */
export function playRun(
  task: EnvironmentTask,
  run: ScriptedRun,
): { session: EnvironmentSession; transcript: RolloutTranscript } {
  const session = new WorkplaceSession(task);
  const messages: ChatMessage[] = [...task.messages];
  run.calls.forEach((call, i) => {
    const id = `call_${i}`;
    const args = JSON.stringify(call.arguments);
    messages.push({
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: call.name, arguments: args } }],
    });
    messages.push({
      role: 'tool',
      tool_call_id: id,
      content: session.callTool(call.name, call.arguments).content,
    });
  });
  const final = run.final === undefined ? FINAL_MESSAGE : run.final;
  if (final !== null) messages.push({ role: 'assistant', content: final });
  return { session, transcript: { messages, stopReason: run.stopReason ?? 'stop' } };
}
