/** Calls that a server could not parse: it hands them back as plain text, as vLLM does, and the run ends there. */

/** What the common tool parsers put around a call. */
const MARKERS = [
  '<tool_call',
  '<|tool_call',
  '<|python_tag|>',
  '[TOOL_CALLS]',
  '<function=',
  '<tool_calls',
  '✿FUNCTION✿',
];
/** A bare call: the text begins as an object (or a list of them) with a call's members. */
const BARE_CALL = /^\s*\[?\s*\{\s*"(?:name|function|tool|tool_name|arguments|parameters)"\s*:/;

/** Whether a final text is a tool call that failed to parse, not something said to the user. */
export function looksLikeToolCall(text: string | null): boolean {
  if (text === null || text === '') return false;
  return MARKERS.some((marker) => text.includes(marker)) || BARE_CALL.test(text);
}
