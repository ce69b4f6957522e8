/**
 * The rows of a file, one by one while it streams in: elements of a JSON array, lines of JSONL, or the one document.
 * A row is text with its number (1-based: line, or element); what is no row is said as one with an error.
 */
import { jsonOf } from './json-text.js';
import { ListSplitter } from './list-splitter.js';

export type Row = { line: number; text: string } | { line: number; error: string };

/** Longest row, and longest single document, in characters. */
export const MAX_ROW_CHARS = 32 * 1024 * 1024;

const TOO_LONG = `the row is longer than ${MAX_ROW_CHARS / (1024 * 1024)} Mi characters`;

export async function* readRows(body: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const texts = decodedTexts(body);
  const first = await firstWithText(texts);
  if (first === null) return;
  if (first.trimStart().startsWith('[') && !isLineOfMany(first)) yield* listRows(first, texts);
  else yield* lineRows(first, texts);
}

/** Lines may be lists themselves: then a whole list ends its line, and something stands below. */
function isLineOfMany(text: string): boolean {
  const end = text.indexOf('\n');
  return end >= 0 && text.slice(end).trim() !== '' && jsonOf(text.slice(0, end)) !== null;
}

async function* decodedTexts(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8');
  for await (const chunk of body) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

/** Blank text is kept: blank lines count. */
async function firstWithText(texts: AsyncIterator<string>): Promise<string | null> {
  let text = '';
  for (let next = await texts.next(); !next.done; next = await texts.next()) {
    text += next.value;
    if (text.trim() !== '') return text;
  }
  return null;
}

async function* listRows(first: string, rest: AsyncIterable<string>): AsyncGenerator<Row> {
  const splitter = new ListSplitter(MAX_ROW_CHARS, TOO_LONG);
  yield* splitter.take(first);
  for await (const text of rest) yield* splitter.take(text);
  yield* splitter.end();
}

/**
 * Lines, unless the first one is the beginning of a document of several lines. A first line that is broken by itself is told
 * apart at the end: when the whole is no document either, every line is its own row.
 */
async function* lineRows(first: string, rest: AsyncGenerator<string>): AsyncGenerator<Row> {
  const lines = linesOf(first, rest);
  const head = await lines.next();
  if (head.done) return;
  if ('text' in head.value && isPointer(head.value.text)) {
    yield head.value;
    return;
  }
  if ('error' in head.value || !opensDocument(head.value.text)) {
    yield head.value;
    yield* lines;
    return;
  }
  const gathered: Row[] = [head.value];
  for (let chars = 0; chars <= MAX_ROW_CHARS;) {
    const next = await lines.next();
    if (next.done) break;
    gathered.push(next.value);
    chars += 'text' in next.value ? next.value.text.length : 0;
  }
  const document = gathered.map((row) => ('text' in row ? row.text : '')).join('\n');
  if (jsonOf(document) !== null) yield { line: 1, text: document };
  else yield* gathered;
  yield* lines;
}

/** What Git LFS leaves in place of a file: a few lines that are no rows. */
export function isPointer(text: string): boolean {
  return text.startsWith('version https://git-lfs');
}

function opensDocument(line: string): boolean {
  return line.trimStart().startsWith('{') && jsonOf(line) === null;
}

/** Blank lines are counted and left out. */
async function* linesOf(first: string, rest: AsyncIterable<string>): AsyncGenerator<Row> {
  let open = '';
  let line = 0;
  let tooLong = false;
  const close = (text: string): Row[] => {
    line += 1;
    const row = tooLong
      ? [{ line, error: TOO_LONG }]
      : text.trim() === ''
        ? []
        : [{ line, text: text.trimEnd() }];
    tooLong = false;
    return row;
  };
  const take = function* (text: string): Generator<Row> {
    const pieces = text.split('\n');
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      yield* close(open + piece);
      open = '';
    }
    open += last;
    if (open.length > MAX_ROW_CHARS) {
      tooLong = true;
      open = '';
    }
  };
  yield* take(first);
  for await (const text of rest) yield* take(text);
  if (open !== '' || tooLong) yield* close(open);
}
