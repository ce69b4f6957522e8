/**
 * SHA-256 for ids. `node:crypto` is a hash, not I/O: it keeps the kernel pure and is ten times faster than script.
 */
import { createHash } from 'node:crypto';

/** Lower-case hex digest of UTF-8 text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
