/** Text → the same text with its secrets replaced, every other character as it was. */
import { cardNumber } from './card-numbers.js';
import { CONTEXT_RULES } from './context-rules.js';
import { cookieValues } from './cookies.js';
import { maskJsonText } from './json-text.js';
import type { Replace, SecretRule, Sign } from './rule.js';
import { TOKEN_RULES } from './token-rules.js';

/** Those with context first: they know best what a value is. */
const RULES: readonly SecretRule[] = [
  ...CONTEXT_RULES.slice(0, 2),
  ...TOKEN_RULES,
  ...CONTEXT_RULES.slice(2),
  cardNumber,
];

/** One search for all prefixes with the same last sign, one for each other probe: engines skip fast to rare letters only. */
const PROBES: readonly RegExp[] = [
  ...(['-', '_', '.'] as const).map(probeOfSign),
  ...[...new Set(RULES.flatMap(({ probe }) => ('expression' in probe ? [probe.expression] : [])))].map(
    (expression) => new RegExp(expression),
  ),
];
/** JSON may spell any letter as an escape; then nothing can be told before it is read. */
const ESCAPED_ASCII = /\\u00[2-7]/;
const SHORTEST_SECRET = 9;
/** Members whose value needs a look beside its name. */
export const NAMED_SECRET = /key|token|secret|authorization|cookie/i;
const REPLACED = '[secret:';

/** Whether a look in detail is needed: nearly every text is told here, in one pass. */
export function maySecret(text: string): boolean {
  return (
    text.length >= SHORTEST_SECRET && (PROBES.some((probe) => probe.test(text)) || ESCAPED_ASCII.test(text))
  );
}

/**
 * The same string where nothing is hidden. JSON text stays JSON text: a bare number becomes a string.
 * @param name of the member that holds the text: it may say that a value is a secret, or only an id.
 */
export function maskText(text: string, replace: Replace, name = ''): string {
  if (!needsLook(text, name)) return text;
  const mask = (plain: string, member: string): string =>
    needsLook(plain, member) ? maskPlain(plain, replace, member) : plain;
  return maskJsonText(text, mask, name) ?? mask(text, name);
}

function needsLook(text: string, name: string): boolean {
  return maySecret(text) || (NAMED_SECRET.test(name) && maySecret(namedAs(name) + text));
}

function namedAs(name: string): string {
  return name === '' ? '' : `${name}: `;
}

function maskPlain(text: string, replace: Replace, name: string): string {
  const floor = namedAs(name).length;
  let masked = namedAs(name) + text;
  for (const rule of RULES) masked = applyRule(masked, rule, { replace, floor });
  return masked.slice(floor);
}

function applyRule(text: string, rule: SecretRule, at: { replace: Replace; floor: number }): string {
  let masked = '';
  let done = 0;
  for (const match of text.matchAll(rule.pattern)) {
    const [from, to] = placeOf(match);
    const secret = text.slice(from, to);
    if (from < at.floor || secret.includes(REPLACED)) continue;
    if (rule.insideWord !== true && !beginsWord(text, match.index)) continue;
    if (rule.confirm?.(secret, text, from) === false) continue;
    masked += text.slice(done, from);
    masked += rule.kind === 'cookie' ? cookieValues(secret, at.replace) : at.replace(rule.kind, secret);
    done = to;
  }
  return done === 0 ? text : masked + text.slice(done);
}

function placeOf(match: RegExpExecArray): [number, number] {
  const groups = match.indices?.groups;
  return groups?.['secret'] ?? [match.index, match.index + match[0].length];
}

/** A mark in the midst of base64 is chance. The letter of an escape (`\n`) is no part of a word. */
function beginsWord(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9+/_-]/.test(text[at - 1] ?? '')) return true;
  return at > 1 && /\\[nrt]/.test(text.slice(at - 2, at));
}

/** The sign with some of the token after it, then the prefixes before it: most signs fail at the first half. */
function probeOfSign(sign: Sign): RegExp {
  const prefixes = RULES.flatMap(({ probe }) =>
    'sign' in probe && probe.sign === sign ? [probe.prefix] : [],
  );
  const rest = `${sign === '.' ? '\\.' : sign}[A-Za-z0-9_-]{10}`;
  return new RegExp(`${rest}(?<=(?:${[...new Set(prefixes)].join('|')})${rest})`);
}
