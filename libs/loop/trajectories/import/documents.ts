/**
 * Files that are one document of many rows, or many rows that are one: an object keyed by id holds a run an entry, and a list
 * of chat messages is a single run. Which it is only the formats can say: they know their rows.
 */
import { isObject } from '../domain/json.js';
import { jsonOf } from './json-text.js';
import { MAX_ROW_CHARS, readRows, type Row } from './row-reader.js';

/** Whether a format knows the value as a row of its own. */
export type Knows = (value: unknown) => boolean;

/** The rows of a file as the formats take them, numbered by line, element or entry. */
export async function* readDocuments(body: AsyncIterable<Uint8Array>, knows: Knows): AsyncGenerator<Row> {
  const rows = readRows(body);
  const head = await rows.next();
  if (head.done) return;
  const first = 'text' in head.value ? jsonOf(head.value.text)?.value : undefined;
  if (isMessage(first) && !knows(first)) {
    yield* asOneRun(head.value, rows);
    return;
  }
  if (!isKeyed(first) || knows(first)) {
    yield head.value;
    yield* rows;
    return;
  }
  const second = await rows.next();
  if (second.done) yield* entriesOf(first, knows);
  else {
    yield head.value;
    yield second.value;
    yield* rows;
  }
}

function isMessage(value: unknown): boolean {
  return isObject(value) && typeof value['role'] === 'string' && 'content' in value;
}

function isKeyed(value: unknown): value is Record<string, Record<string, unknown>> {
  if (!isObject(value)) return false;
  const members = Object.values(value);
  return members.length > 0 && members.every(isObject);
}

/** An entry is told with its key, which is its identifier; alone or not, it is the same row. */
function* entriesOf(document: Record<string, unknown>, knows: Knows): Generator<Row> {
  let line = 0;
  for (const [key, value] of Object.entries(document)) {
    line += 1;
    const entry = { [key]: value };
    yield { line, text: JSON.stringify(knows(entry) || !knows(value) ? entry : value) };
  }
}

async function* asOneRun(head: Row, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  const texts = 'text' in head ? [head.text] : [];
  let chars = texts.join('').length;
  for await (const row of rows) {
    if ('error' in row) yield row;
    else if ((chars += row.text.length) <= MAX_ROW_CHARS) texts.push(row.text);
  }
  if (chars > MAX_ROW_CHARS) yield { line: 1, error: 'the list of messages is longer than a row may be' };
  else yield { line: 1, text: `[${texts.join(',')}]` };
}
