/** The text of a JSON list → the texts of its members, so that joining them gives the same text to the byte. */

export interface SplitList {
  parts: string[];
  /** Between two parts: a comma and the blanks after it. */
  separator: string;
  /** How many parts, from the first, the longest earlier list of the story has too. */
  shared: number;
}

interface Seen extends SplitList {
  text: string;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const DEFAULT_SEPARATOR = ',';

/**
 * Splits lists that begin as an earlier one ended: of a history that grows from call to call only the new end is read.
 * Holds texts; make one for each batch.
 */
export class HistorySplitter {
  private readonly last = new Map<string, Seen>();

  /**
   * null where joining would not give the same text: blanks at the ends, unlike separators, an empty list, no list.
   * @param story what grows: lists of one story are looked at for a common beginning
   */
  split(text: string, story: string): SplitList | null {
    const seen = this.last.get(story);
    const grown = seen !== undefined && continues(text, seen.text) ? seen : undefined;
    const found = split(text, grown);
    if (found !== null && (seen === undefined || text.length > seen.text.length))
      this.last.set(story, { ...found, text });
    return found;
  }
}

export function joinList({ parts, separator }: Pick<SplitList, 'parts' | 'separator'>): string {
  return `[${parts.join(separator)}]`;
}

function continues(text: string, before: string): boolean {
  const open = before.length - 1;
  return (
    text.length > before.length &&
    text.charCodeAt(open) === COMMA &&
    text.slice(0, open) === before.slice(0, open)
  );
}

function split(text: string, grown: Seen | undefined): SplitList | null {
  const end = text.length - 1;
  if (end < 2 || text.charCodeAt(0) !== OPEN_LIST || text.charCodeAt(end) !== CLOSE_LIST) return null;
  const parts = grown === undefined ? [] : [...grown.parts];
  let separator = grown !== undefined && grown.parts.length > 1 ? grown.separator : null;
  let from = grown === undefined ? 1 : grown.text.length - 1;
  if (grown !== undefined) {
    const next = afterComma(text, from);
    if (separator !== null && text.slice(from, next) !== separator) return split(text, undefined);
    separator = text.slice(from, next);
    from = next;
  }
  for (;;) {
    const to = endOfValue(text, from, end);
    if (to <= from || isBlank(text.charCodeAt(from)) || isBlank(text.charCodeAt(to - 1))) return null;
    parts.push(text.slice(from, to));
    if (to === end)
      return { parts, separator: separator ?? DEFAULT_SEPARATOR, shared: grown?.parts.length ?? 0 };
    const next = afterComma(text, to);
    const between = text.slice(to, next);
    if (separator !== null && between !== separator) return null;
    separator = between;
    from = next;
  }
}

/** Of the first comma at the list's own level, or `end`; -1 where brackets do not match. */
function endOfValue(text: string, from: number, end: number): number {
  let depth = 0;
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      if (at < 0 || at >= end) return -1;
    } else if (code === OPEN_OBJECT || code === OPEN_LIST) depth++;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      if (--depth < 0) return -1;
    } else if (code === COMMA && depth === 0) return at;
  }
  return depth === 0 ? end : -1;
}

function closingQuote(text: string, open: number): number {
  for (let at = text.indexOf('"', open + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

function afterComma(text: string, comma: number): number {
  let at = comma + 1;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function isBlank(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13);
}
