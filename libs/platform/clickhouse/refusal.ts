import { AppError } from '#kernel/errors';

/**
 * ClickHouse's codes for a row it cannot take, whatever is done about the server: text that is not a value of the column's
 * type, values out of range, a violated constraint. Everything else (disk, memory, parts, access) is about the server.
 */
const ROW_CODES = new Set(
  [6, 26, 27, 33, 38, 41, 53, 69, 70, 72, 117, 129, 130, 131, 190, 321, 349, 441, 467, 469, 676].map(String),
);

/** Whether an insert failed for its rows: sent again it fails again, and others are to go on without them. */
export function isRowRefusal(error: unknown): error is AppError {
  return (
    error instanceof AppError && error.code === 'internal' && ROW_CODES.has(String(error.detail['code']))
  );
}
