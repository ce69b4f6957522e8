/** YYYYMM in UTC: the partition that a receipt falls into. */
export function monthOfMs(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

export function monthOfNs(ns: bigint): number {
  return monthOfMs(Number(ns / 1_000_000n));
}
