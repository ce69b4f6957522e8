/** Masks the strings, names and numbers of plain JSON data without recursion: it may be nested as deep as memory allows. */
import type { CleanBeginnings } from './clean-beginnings.js';
import type { Json, JsonObject } from '../json.js';
import { cookieValues } from './cookies.js';
import { maskText, maySecret, NAMED_SECRET } from './mask-text.js';
import type { Replace } from './rule.js';

/** Members whose text is a secret whatever it looks like: headers as instrumentations write them. */
const SECRET_MEMBER =
  /(?:^|[._-])(?:authorization|proxy[-_]authorization|(?:set[-_])?cookie|x[-_]api[-_]key|x[-_]auth[-_]token)$/i;
const COOKIE_MEMBER = /cookie$/i;
/** A scheme, or a placeholder that some SDK wrote before us. */
const SCHEME = /^(?:(?:basic|bearer|token|apikey|digest)\s+)?/i;
const REDACTED = /^[\s*x•.<[]|redact|\[secret:/i;
const SHORTEST_HEADER_VALUE = 6;

/** The same value, not a copy, where nothing is hidden. */
export function maskJson<T>(value: T, replace: Replace, clean?: CleanBeginnings): T {
  return needsLook(value, clean) ? (copyMasked(value as Json, replace) as T) : value;
}

function needsLook(value: unknown, clean?: CleanBeginnings): boolean {
  const stack: unknown[] = [value];
  for (let next = stack.pop(); stack.length > 0 || next !== undefined; next = stack.pop()) {
    if (typeof next === 'string') {
      if (maySecret(clean?.unseenPart(next) ?? next)) return true;
      clean?.add(next);
      continue;
    }
    if (typeof next === 'number' && mayBeCard(next)) return true;
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) {
      for (const item of next) if (item !== null && item !== undefined) stack.push(item);
      continue;
    }
    for (const key in next) {
      const member = (next as Record<string, unknown>)[key];
      // A name alone makes no secret of a count: `usage.input_tokens`.
      const isNamed = typeof member === 'string' || (typeof member === 'object' && member !== null);
      if (key.length >= 6 && (maySecret(key) || (isNamed && NAMED_SECRET.test(key)))) return true;
      if (member !== null && member !== undefined) stack.push(member);
    }
  }
  return false;
}

/** No payment card has a number below 13 digits. */
function mayBeCard(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1e12;
}

interface Slot {
  source: Json;
  /** The member that leads here, or the nearest one above a list. */
  member: string;
  put(masked: Json): void;
}

function copyMasked(value: Json, replace: Replace): Json {
  let root: Json = null;
  const stack: Slot[] = [{ source: value, member: '', put: (masked) => void (root = masked) }];
  for (let slot = stack.pop(); slot !== undefined; slot = stack.pop()) {
    const { source, member, put } = slot;
    if (Array.isArray(source)) {
      const target: Json[] = new Array<Json>(source.length).fill(null);
      put(target);
      source.forEach((item, at) =>
        stack.push({ source: item, member, put: (masked) => void (target[at] = masked) }),
      );
    } else if (typeof source === 'object' && source !== null) {
      const target: JsonObject = {};
      put(target);
      // Members are set in their order before they are filled, so a copy is written as its source was.
      for (const [key, item] of Object.entries(source)) {
        const name = maskText(key, replace);
        setOwn(target, name, null);
        stack.push({ source: item, member: key, put: (masked) => setOwn(target, name, masked) });
      }
    } else put(leafOf(source, member, replace));
  }
  return root;
}

/** Also for `__proto__`, which is a name like any other here. */
function setOwn(target: JsonObject, key: string, value: Json): void {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

function leafOf(leaf: string | number | boolean | null, member: string, replace: Replace): Json {
  if (typeof leaf === 'number') {
    const masked = mayBeCard(leaf) ? maskText(String(leaf), replace, member) : String(leaf);
    return masked === String(leaf) ? leaf : masked;
  }
  if (typeof leaf !== 'string') return leaf;
  const masked = maskText(leaf, replace, member);
  return masked === leaf && SECRET_MEMBER.test(member) ? maskHeader(leaf, member, replace) : masked;
}

function maskHeader(text: string, member: string, replace: Replace): string {
  if (text.length < SHORTEST_HEADER_VALUE || REDACTED.test(text)) return text;
  if (COOKIE_MEMBER.test(member)) return cookieValues(text, replace);
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  return scheme + replace('authorization', text.slice(scheme.length));
}
