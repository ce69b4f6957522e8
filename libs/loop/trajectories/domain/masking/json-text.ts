/**
 * JSON text as text: its strings and numbers are masked one by one and everything between them stays to the byte, so that
 * spacing, order and spelling of a call's arguments survive and the result is JSON again.
 */

/** A JSON text in a string of a JSON text, and so on: deeper ones are masked as plain text. */
const MAX_NESTED = 6;
const NUMBER = /-?\d[\d.eE+-]*/y;

/** Replaces in plain text, which stands under a name ('' when under none). */
type Mask = (plain: string, name: string) => string;

/** undefined where the text is no JSON object or list. */
export function maskJsonText(text: string, mask: Mask, name: string, nested = 0): string | undefined {
  if (!/^\s*[[{]/.test(text) || nested > MAX_NESTED || !isJson(text)) return undefined;
  let masked = '';
  let done = 0;
  let member = name;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== QUOTE && !isNumberStart(code)) continue;
    const end = code === QUOTE ? endOfString(text, at) : endOfNumber(text, at);
    const token = text.slice(at, end);
    const isName = code === QUOTE && isBeforeColon(text, end);
    const replaced =
      code === QUOTE
        ? maskString(token, mask, isName ? '' : member, nested)
        : maskNumber(token, mask, member);
    if (isName) member = JSON.parse(token) as string;
    if (replaced !== token) {
      masked += text.slice(done, at) + replaced;
      done = end;
    }
    at = end - 1;
  }
  return done === 0 ? text : masked + text.slice(done);
}

/** Hidden in the spelling of the source where that gives the same value, else spelt anew. */
function maskString(token: string, mask: Mask, name: string, nested: number): string {
  const value = JSON.parse(token) as string;
  const masked = maskJsonText(value, mask, name, nested + 1) ?? mask(value, name);
  if (masked === value) return token;
  const inPlace = `"${mask(token.slice(1, -1), name)}"`;
  return parsed(inPlace) === masked ? inPlace : JSON.stringify(masked);
}

function maskNumber(token: string, mask: Mask, name: string): string {
  const masked = mask(token, name);
  return masked === token ? token : JSON.stringify(masked);
}

const QUOTE = 34;
const BACKSLASH = 92;

function isNumberStart(code: number): boolean {
  return code === 45 || (code >= 48 && code <= 57);
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at + 1;
}

function isBeforeColon(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? '')) at += 1;
  return text[at] === ':';
}

function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : start + 1;
}

function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
