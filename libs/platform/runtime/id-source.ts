import { randomBytes } from 'node:crypto';

import type { Clock } from '#kernel/clock';
import { uuidV7 } from '#kernel/ids';

/** Makes ids for events: UUIDv7, so that ids sort by the time they were made. */
export class IdSource {
  constructor(private readonly clock: Clock) {}

  newId(): string {
    return uuidV7(this.clock.nowMs(), randomBytes(10));
  }

  /** `bytes` random bytes as hex: for passwords and tokens that live as long as the process. */
  newSecret(bytes = 24): string {
    return randomBytes(bytes).toString('hex');
  }
}
