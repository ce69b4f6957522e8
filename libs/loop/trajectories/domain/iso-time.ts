/** ns since the epoch of an ISO 8601 time with up to nine digits of a second; undefined for anything else. */
export function nsOfIso(time: unknown): bigint | undefined {
  if (typeof time !== 'string') return undefined;
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || ms <= 0) return undefined;
  const digits = /\.(\d{1,9})/.exec(time)?.[1] ?? '';
  const seconds = BigInt(Math.floor(ms / 1000));
  return seconds * 1_000_000_000n + BigInt(digits.padEnd(9, '0'));
}
