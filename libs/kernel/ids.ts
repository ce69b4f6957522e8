/** Ids: content hashes where content decides identity, UUIDv7 where an event does. Pure: randomness and time are given. */
import { sha256 } from './sha256.js';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Canonical JSON: keys sorted at every depth, no spaces; equal data gives equal text. `undefined` members are dropped. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** Lower-case hex SHA-256 of the canonical JSON of `parts`, cut to `length` characters (default 32). */
export function contentHash(parts: unknown, length = 32): string {
  return sha256(canonicalJson(parts)).slice(0, length);
}

/**
 * UUIDv7 (RFC 9562) from a time in ms and 10 random bytes.
 * @throws RangeError when fewer than 10 bytes are given.
 */
export function uuidV7(nowMs: number, random: Uint8Array): string {
  if (random.length < 10) throw new RangeError('uuidV7 needs 10 random bytes');
  const bytes = new Uint8Array(16);
  let ms = Math.floor(nowMs);
  for (let i = 5; i >= 0; i--) {
    bytes[i] = ms % 256;
    ms = Math.floor(ms / 256);
  }
  bytes.set(random.subarray(0, 10), 6);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
