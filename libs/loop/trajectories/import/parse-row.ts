/** Text of a row → its value; real files hold what JSON has no name for. */
import { messageOf } from '#kernel/errors';
import { isDeeperThan, MAX_JSON_DEPTH } from '../domain/json.js';
import { BadRow } from '../formats/format.js';
import { isJson } from './row-reader.js';

/** The value of a row's text. @throws BadRow with what is wrong with it. */
export function parseRow(text: string): unknown {
  const value = parsedRow(text);
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new BadRow(`the row is nested deeper than ${MAX_JSON_DEPTH}`);
  return value;
}

/** Python writes numbers that JSON has no name for: they are read as null, where they stand outside of text. */
const PYTHON_NUMBER = /"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g;

function parsedRow(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const patched = text.replace(PYTHON_NUMBER, (found) => (found.startsWith('"') ? found : 'null'));
    if (patched !== text && isJson(patched)) return JSON.parse(patched) as unknown;
    if (text.startsWith('version https://git-lfs')) throw new BadRow(POINTER);
    throw new BadRow(`the row is not JSON: ${messageOf(error).slice(0, 160)}`);
  }
}

const POINTER = 'this is a Git LFS pointer, not the file it points to: fetch it with `git lfs pull`';
