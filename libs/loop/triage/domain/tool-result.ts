/** Reads whether a tool's answer is an error, and of which kind. */
import { isObject, parseJson } from './json-values.js';
import type { RunCall, RunResult } from './run-view.js';
import { clip } from './text.js';

export type ErrorKind = 'unknown_tool' | 'wrong_arguments' | 'timeout' | 'not_found' | 'refused' | 'other';

export interface ToolError {
  kind: ErrorKind;
  text: string;
}

/** First match wins. Names of error classes come from common runtimes and public benchmarks. */
const KINDS: readonly (readonly [ErrorKind, RegExp])[] = [
  [
    'unknown_tool',
    /unknown tool|tool ?not ?found|no (such )?tool\b|invalid_hallucination_function_name|unknown function|tool .{0,80} (does not exist|is not (available|defined))/i,
  ],
  [
    'wrong_arguments',
    /validation ?error|(bad|invalid|missing|unexpected|unknown) (\w+ ){0,3}(argument|parameter|keyword)s?|missing required|required property|-32602/i,
  ],
  ['timeout', /tim(e|ed) ?-?out|deadline ?exceeded/i],
  ['not_found', /not[ _]found|does not exist|no such|\b404\b/i],
  ['refused', /permission|forbidden|unauthori[sz]ed|access denied|not allowed|\b40[13]\b/i],
];

/** Longer texts are documents that a tool returned, not error messages. */
const LOOK_AT_CHARS = 2_000;
const ERROR_OPENING =
  /^\s*(error\b|exception\b|traceback \(most recent call last\)|\w*(error|exception)\s*:)/i;

const errors = new WeakMap<RunResult, ToolError | false>();

/** Null where the answer is no error, or where there is none. Each answer is read once. */
export function errorOf(result: RunResult | null): ToolError | null {
  if (result === null) return null;
  const known = errors.get(result) ?? readError(result) ?? false;
  errors.set(result, known);
  return known === false ? null : known;
}

function readError(result: RunResult): ToolError | null {
  const message = result.error !== null && result.error !== '' ? result.error : errorText(result.text ?? '');
  if (message === null) return null;
  const seen = message.slice(0, LOOK_AT_CHARS);
  const kind = KINDS.find(([, pattern]) => pattern.test(seen))?.[0] ?? 'other';
  return { kind, text: clip(seen, 120) };
}

/** Executed and not an error. A call without a result is not known to have worked. */
export function worked(call: RunCall): boolean {
  return call.result !== null && errorOf(call.result) === null;
}

function errorText(text: string): string | null {
  if (ERROR_OPENING.test(text)) return text;
  if (!/^\s*\{/.test(text)) return null;
  const value = parseJson(text);
  if (!isObject(value)) return null;
  const error = value['error'] ?? value['errors'];
  if (typeof error === 'string' && error !== '') return error;
  if (isObject(error)) return JSON.stringify(error);
  if (Array.isArray(error) && error.length > 0) return JSON.stringify(error);
  const failed = error === true || value['isError'] === true || value['status'] === 'error';
  return failed ? text : null;
}
