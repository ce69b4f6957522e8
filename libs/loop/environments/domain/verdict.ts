/** Asks a verifier, and keeps apart a verdict, no measurement, and a verifier that broke on this very output. */
import type {
  EnvironmentDefinition,
  EnvironmentSession,
  EnvironmentTask,
  RolloutTranscript,
  Verifier,
  VerifierResult,
} from '#contracts/environment';
import { messageOf } from '#kernel/errors';
import { parseJsonObject } from '#kernel/json-object';

export interface Verdict {
  result: VerifierResult;
  /** Set where the verifier threw: the run is scored 0, or a policy could earn masks by breaking it. */
  crash: string | null;
}

/** Never throws. A crash of the verifier on this output is a scored 0 (design §6). */
export function judge(
  verifier: Verifier,
  session: EnvironmentSession,
  transcript: RolloutTranscript,
): Verdict {
  try {
    return { result: verifier.verify(session, transcript), crash: null };
  } catch (error) {
    return {
      result: { state: 'scored', reward: 0, success: false, unsafe: false, critical: false, components: {} },
      crash: messageOf(error),
    };
  }
}

/** @throws RangeError where the environment has no such verifier. */
export function verifierOf(definition: EnvironmentDefinition, name: string): Verifier {
  const verifier = Object.hasOwn(definition.verifiers, name) ? definition.verifiers[name] : undefined;
  if (!verifier) throw new RangeError(`environment ${definition.name} has no verifier ${name}`);
  return verifier;
}

/** A fresh session in which the transcript's calls were run, in order; what was no call then is none now. */
export function replay(
  definition: EnvironmentDefinition,
  task: EnvironmentTask,
  transcript: RolloutTranscript,
): EnvironmentSession {
  const session = definition.open(task);
  for (const message of transcript.messages.slice(task.messages.length)) {
    for (const call of message.role === 'assistant' ? (message.tool_calls ?? []) : []) {
      const args = parseJsonObject(call.function.arguments);
      if (args !== null) session.callTool(call.function.name, args);
    }
  }
  return session;
}
