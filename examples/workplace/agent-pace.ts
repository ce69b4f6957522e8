/** Runs a second while the server says that it is busy: it may share the machine with us. */
export const YIELDING_RATE = 0.5;

/** Milliseconds from one run's start to the next. `rate` in runs a second; `busyWith` as the server last said, null for idle. */
export function pauseMs(rate: number, busyWith: string | null): number {
  return 1000 / (busyWith === null ? rate : Math.min(rate, YIELDING_RATE));
}
