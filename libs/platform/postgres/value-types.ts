import { AppError } from '#kernel/errors';

/** Type numbers of PostgreSQL's catalogue whose text both drivers read in the same way here. */
export const OID = { int8: 20, date: 1082, timestamp: 1114, timestamptz: 1184 } as const;

/** bigint columns hold counters and fencing numbers: a number, as long as it is exact. */
export function parseInt8(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new AppError('internal', { public: 'A stored number is too large.', detail: { text } });
}

/** `2026-01-02 03:04:05.678+00` or, without a zone, the same read as UTC. */
export function parseTimestamp(text: string): Date {
  const iso = text.replace(' ', 'T').replace(/(\.\d{3})\d*/, '$1');
  const zone = /[+-]\d\d(:?\d\d)?$/.exec(iso)?.[0];
  if (zone === undefined) return new Date(`${iso}Z`);
  return new Date(zone.length === 3 ? `${iso}:00` : iso);
}

export const keepText = (text: string): string => text;
