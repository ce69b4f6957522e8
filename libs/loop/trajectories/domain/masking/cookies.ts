import type { Replace } from './rule.js';

const ATTRIBUTES = new Set([
  'path',
  'domain',
  'expires',
  'max-age',
  'samesite',
  'secure',
  'httponly',
  'priority',
  'partitioned',
]);

/** A word, a language, a small number or a date: settings that sites keep in cookies, nothing that lets anyone in. */
const PLAIN = /^(?:[A-Za-z_-]{0,12}|\d{1,8}|\d{1,2}-[A-Za-z]{3}-\d{4}|\d{4}-\d\d-\d\d)$/;

/** The list of a `Cookie` or `Set-Cookie` header (RFC 6265) with every value hidden; names and attributes stay. */
export function cookieValues(list: string, replace: Replace): string {
  return list.replace(/([^=;\s]+)=([^;]*)/g, (pair, name: string, value: string) =>
    PLAIN.test(value) || value.includes('[secret:') || ATTRIBUTES.has(name.toLowerCase())
      ? pair
      : `${name}=${replace('cookie', value)}`,
  );
}
