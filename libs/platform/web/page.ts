import { z } from 'zod';
import { AppError } from '#kernel/errors';

/** Common query of every list. Unknown parameters are refused because the schema is strict: extend it, never loosen it. */
export const PageQuery = z.strictObject({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});

export type PageQuery = z.infer<typeof PageQuery>;

export interface Page<T> {
  items: T[];
  nextCursor: string | null;
}

/** Opaque keyset cursor: base64url of a JSON array of the sort key's values. */
export function encodeCursor(key: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url');
}

/** @throws AppError request.invalid when the cursor was not made by `encodeCursor` with this many values. */
export function decodeCursor(cursor: string, values: number): (string | number)[] {
  try {
    const key: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(key) && key.length === values) return key as (string | number)[];
  } catch {
    // falls through to the one error below: a cursor is opaque, so there is one way to be wrong
  }
  throw new AppError('request.invalid', { public: 'The cursor is not valid; start again without it.' });
}

/** The id that a page of a list sorted by id alone goes on before; null for the first page. @throws AppError request.invalid */
export function beforeOf(query: { cursor?: string | undefined }): string | null {
  return query.cursor === undefined ? null : String(decodeCursor(query.cursor, 1)[0]);
}

/** Cuts `limit + 1` fetched rows to a page; the extra row only says that there is more. */
export function pageOf<T>(
  rows: T[],
  limit: number,
  keyOf: (row: T) => readonly (string | number)[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items, nextCursor: more ? encodeCursor(keyOf(last)) : null };
}
