import { z } from 'zod';

/** Zod types for ClickHouse values as JSON carries them: 64-bit integers are quoted, times are UTC text. */

const integerText = z.union([z.string().regex(/^-?\d+$/), z.number().int()]);

const safeInteger = integerText.transform((value, context) => {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  context.addIssue({
    code: 'custom',
    message: 'is larger than a JavaScript number holds exactly; use ChBigInt',
  });
  return z.NEVER;
});

/** Any unsigned integer column, as a number. Refuses what a number cannot hold exactly. */
export const ChUInt = safeInteger.refine((value) => value >= 0, { error: 'must not be negative' });

/** Any signed integer column, as a number. */
export const ChInt = safeInteger;

/** A 64-bit integer column, exact: nanosecond times, hashes. */
export const ChBigInt = integerText.transform((value) => BigInt(value));

/** A float column; nan and infinities arrive as null or text. */
export const ChFloat = z.union([z.number(), z.string(), z.null()]).transform((value) => {
  if (value === null || value === 'nan' || value === '-nan') return Number.NaN;
  if (value === 'inf' || value === '-inf') return value === 'inf' ? Infinity : -Infinity;
  return Number(value);
});

/** Bool, or UInt8 used as one. */
export const ChBool = z
  .union([z.boolean(), z.literal(0), z.literal(1)])
  .transform((value) => value === true || value === 1);

/** DateTime or DateTime64 as UTC text, milliseconds kept; as a row value and as a query parameter. */
export const ChDateTime = z.union([
  z.date(),
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d+)?Z?$/)
    .transform(
      (text) =>
        new Date(
          `${text
            .replace(' ', 'T')
            .replace(/(\.\d{3})\d*/, '$1')
            .replace(/Z$/, '')}Z`,
        ),
    ),
]);
