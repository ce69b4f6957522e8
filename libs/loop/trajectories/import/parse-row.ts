/** Text of a row → its value, or what is wrong with it. */
import { messageOf } from '#kernel/errors';
import { isDeeperThan, MAX_JSON_DEPTH } from '../domain/json.js';
import { BadRow } from '../formats/format.js';
import { parseJson } from './json-text.js';
import { isPointer } from './row-reader.js';

/** The value of a row's text. @throws BadRow with what is wrong with it. */
export function parseRow(text: string): unknown {
  const value = parsedRow(text);
  if (isDeeperThan(value, MAX_JSON_DEPTH))
    throw new BadRow(`the row is nested deeper than ${MAX_JSON_DEPTH}`);
  return value;
}

function parsedRow(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (isPointer(text)) throw new BadRow(POINTER);
    throw new BadRow(`the row is not JSON: ${messageOf(error).slice(0, 160)}`);
  }
}

const POINTER = 'this is a Git LFS pointer, not the file it points to: fetch it with `git lfs pull`';
