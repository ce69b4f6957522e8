/** Small text helpers of the rules. */

/** One line of at most `length` characters: hostile text stays text, and evidence stays short. */
export function clip(text: string, length = 80): string {
  const line = text
    .slice(0, length * 4)
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .toWellFormed()
    .trim();
  return line.length > length ? `${line.slice(0, length - 1).toWellFormed()}…` : line;
}

/** Lower-case words of letters and digits, in order, at most `limit`. */
export function wordsOf(text: string, limit = 5_000): string[] {
  const words: string[] = [];
  for (const match of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    words.push(match[0]);
    if (words.length >= limit) break;
  }
  return words;
}

const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/** First place from `from` where `needle` stands in `text` as a word of its own (both lower-case), or -1. */
export function indexOfWord(text: string, needle: string, from = 0): number {
  if (needle === '') return -1;
  for (let at = text.indexOf(needle, from); at >= 0; at = text.indexOf(needle, at + 1)) {
    const before = text[at - 1];
    const after = text[at + needle.length];
    const startsWord = before === undefined || !WORD_CHARACTER.test(before);
    const endsWord = after === undefined || !WORD_CHARACTER.test(after);
    if (startsWord && endsWord) return at;
  }
  return -1;
}

/** Edits (insert, delete, replace, swap neighbours) from `a` to `b`, counted up to `limit + 1`. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      row.push(cost);
    }
    if (Math.min(...row) > limit) return limit + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit + 1;
}
