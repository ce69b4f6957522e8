/** JSON values and small readers for data nobody here wrote. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

type OptionalKeys<T> = { [K in keyof T]-?: undefined extends T[K] ? K : never }[keyof T];
export type Defined<T> = Omit<T, OptionalKeys<T>> & { [K in OptionalKeys<T>]?: Exclude<T[K], undefined> };

/** Drops members that are undefined, so that an absent fact stays absent in JSON and in types. */
export function definedOnly<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Defined<T>;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text as it is; anything else as JSON; undefined stays undefined. */
export function textOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Any value as a name to show: '' for none. `String(value)` would call what a foreign object names `toString`. */
export function labelOf(value: unknown): string {
  return value === null || value === undefined ? '' : (textOf(value) ?? '');
}

export function stringOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' ? String(value) : undefined;
}

/** A whole number that is not negative, also when it comes as text (OTLP int64); undefined for anything else. `-0` is 0. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0 ? number + 0 : undefined;
}

/** Deepest nesting that is read as data: what follows parents and children by recursion stays far from the stack's end. */
export const MAX_JSON_DEPTH = 256;

/** Whether lists and objects nest deeper than `limit`. Without recursion. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true;
    const below: object[] = [];
    for (const parent of level)
      for (const child of Array.isArray(parent) ? parent : Object.values(parent))
        if (typeof child === 'object' && child !== null) below.push(child as object);
    level = below;
  }
  return false;
}

/** The value a string holds as JSON; the value itself when it is not JSON text, or nested beyond `MAX_JSON_DEPTH`. */
export function unwrapJson(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    const parsed = JSON.parse(value) as unknown;
    const maybeDeep = value.length > 2 * MAX_JSON_DEPTH;
    return maybeDeep && isDeeperThan(parsed, MAX_JSON_DEPTH) ? value : parsed;
  } catch {
    return value;
  }
}

export function stringsOf(value: unknown): string[] | undefined {
  const list = unwrapJson(value);
  if (!Array.isArray(list)) return undefined;
  return list.filter((item): item is string => typeof item === 'string');
}

/** With the `u` flag a pair is one character, so only lone halves match. */
const LONE_SURROGATE = /[\ud800-\udfff]/gu;

/** Text a store takes as a plain column: no lone surrogates, no NUL. Content is kept whole as JSON text beside it. */
export function wellFormed(text: string): string {
  return text.replace(LONE_SURROGATE, '\ufffd').replaceAll('\0', '\ufffd');
}

/** The value without these members. */
export function without<T extends object, K extends string>(value: T, ...keys: readonly K[]): Omit<T, K> {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key as K))) as Omit<T, K>;
}

export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
