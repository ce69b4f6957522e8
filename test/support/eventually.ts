import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls until `probe` answers with something truthy and returns it. The deadline only bounds a hang; it decides nothing.
 * @throws Error naming `what` after `timeoutMs`.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  timeoutMs = 30_000,
): Promise<NonNullable<T>> {
  const deadlineMs = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value !== false && value !== undefined && value !== null) return value;
    if (Date.now() > deadlineMs) throw new Error(`never happened: ${what}`);
    await delay(20);
  }
}
