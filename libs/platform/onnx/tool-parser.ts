/** Reads the tool calls out of what the policy wrote: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, once or more. */
import { parseJsonObject } from '#kernel/json-object';

export interface ParsedCall {
  name: string;
  /** The policy's own text of the arguments object where the call has the usual form; else equal JSON. */
  arguments: string;
}

const ONLY_CALLS = /^\s*(?:<tool_call>(?:(?!<\/?tool_call>).)*<\/tool_call>\s*)+$/su;
const EACH_CALL = /<tool_call>(.*?)<\/tool_call>/gsu;
const USUAL_FORM = /^\s*\{\s*"name"\s*:\s*"([^"\\]+)"\s*,\s*"arguments"\s*:\s*(\{.*\})\s*\}\s*$/su;

/**
 * The calls of a turn, or null where the text is not calls and nothing else, each of them JSON with a name and an
 * arguments object: such a turn is plain content, as it is for vLLM.
 */
export function parseToolCalls(text: string): ParsedCall[] | null {
  if (!ONLY_CALLS.test(text)) return null;
  const calls = [...text.matchAll(EACH_CALL)].map((match) => parseCall(match[1] ?? ''));
  return calls.every((call) => call !== null) ? calls : null;
}

function parseCall(body: string): ParsedCall | null {
  const call = parseJsonObject(body);
  if (call === null || typeof call['name'] !== 'string' || call['name'] === '') return null;
  if (!isObject(call['arguments'])) return null;
  const usual = USUAL_FORM.exec(body);
  const ownText = usual?.[2];
  const keepsText = ownText !== undefined && parseJsonObject(ownText) !== null;
  return { name: call['name'], arguments: keepsText ? ownText : JSON.stringify(call['arguments']) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
