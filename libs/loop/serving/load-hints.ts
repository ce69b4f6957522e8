import { Injectable } from '@nestjs/common';

/** What callers may want to know before they send more: the demo agent yields while training runs. */
@Injectable()
export class LoadHints {
  private readonly reasons = new Map<string, number>();

  /** Runs `work` while callers are told that the machine is busy with `reason`. */
  async during<T>(reason: string, work: () => Promise<T>): Promise<T> {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.reasons.get(reason) ?? 1) - 1;
      if (left <= 0) this.reasons.delete(reason);
      else this.reasons.set(reason, left);
    }
  }

  /** First reason, or null when there is none. */
  get busyWith(): string | null {
    return this.reasons.keys().next().value ?? null;
  }
}
