import type { JsonObject } from '../json.js';

/** `prefix.<i>.rest` → one object a number, in the order of the numbers. */
export function rowsUnder(a: JsonObject, prefix: string): JsonObject[] {
  const rows = new Map<number, JsonObject>();
  for (const [key, value] of Object.entries(a)) {
    if (!key.startsWith(`${prefix}.`)) continue;
    const [index = '', ...rest] = key.slice(prefix.length + 1).split('.');
    if (!/^\d{1,6}$/.test(index)) continue;
    const row = rows.get(Number(index)) ?? {};
    row[rest.join('.')] = value;
    rows.set(Number(index), row);
  }
  return [...rows].sort(([x], [y]) => x - y).map(([, row]) => row);
}
