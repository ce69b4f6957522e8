/** Reads a rollout's transcript: which calls it made, whether each could be understood, how it ended. */
import type { ExpectedCall, RolloutTranscript } from '#contracts/environment';
import { parseJsonObject } from '#kernel/json-object';
import { argumentProblem, isToolName, isWrite } from './tools.js';
import { FINAL_MESSAGE } from './vocabulary.js';

export interface ReadCall {
  name: string;
  /** Null where the arguments are no JSON object. */
  arguments: Record<string, unknown> | null;
  /** Known tool, arguments that fit its schema. */
  valid: boolean;
}

export interface RunReading {
  calls: ReadCall[];
  /** Write calls that could be understood, refused ones included. */
  writes: ExpectedCall[];
  /** Every call was JSON. */
  validJson: boolean;
  /** Some call was no JSON, named no tool or did not fit its schema. */
  anyInvalid: boolean;
  /** Observations that report an error. */
  errors: number;
  /** It stopped by itself and its last words are the agreed ones. */
  cleanEnd: boolean;
}

export function readRun(transcript: RolloutTranscript): RunReading {
  const assistant = transcript.messages.filter((message) => message.role === 'assistant');
  const calls = assistant
    .flatMap((message) => message.tool_calls ?? [])
    .map((call) => readCall(call.function));
  const unparsed = transcript.stopReason === 'invalid_output';
  const last = transcript.messages.at(-1);
  return {
    calls,
    writes: calls.flatMap((call) =>
      call.valid && call.arguments && isWrite(call.name)
        ? [{ name: call.name, arguments: call.arguments }]
        : [],
    ),
    validJson: !unparsed && calls.every((call) => call.arguments !== null),
    anyInvalid: unparsed || calls.some((call) => !call.valid),
    errors: transcript.messages.filter((m) => m.role === 'tool' && isError(m.content)).length,
    cleanEnd:
      transcript.stopReason === 'stop' &&
      last?.role === 'assistant' &&
      (last.tool_calls ?? []).length === 0 &&
      last.content?.trim() === FINAL_MESSAGE,
  };
}

function readCall(call: { name: string; arguments: string }): ReadCall {
  const args = parseJsonObject(call.arguments);
  const valid = args !== null && isToolName(call.name) && argumentProblem(call.name, args) === null;
  return { name: call.name, arguments: args, valid };
}

function isError(content: string | null): boolean {
  return parseJsonObject(content ?? '')?.error !== undefined;
}
