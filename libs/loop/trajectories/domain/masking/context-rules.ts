/** Secrets known by where they stand: headers, URLs, assignments, and formats that enclose them. */
import { ASSIGNED, ASSIGNED_SECRET, looksRandom, type SecretRule } from './rule.js';

const LINE_END = String.raw`(?:\s|\\{1,8}[nrt]){1,4}`;
const PEM_EDGE = String.raw`[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----`;

/** RFC 7468 with the headers of older tools; a block that was cut off ends with its last full line. */
const privateKey: SecretRule = {
  kind: 'private_key',
  probe: { expression: 'PRIVATE KEY' },
  pattern: new RegExp(
    `-----BEGIN ${PEM_EDGE}(?:${LINE_END}(?:Proc-Type|DEK-Info|Version|Comment|Hash): [^\\n\\\\]{0,100}){0,4}` +
      `(?:${LINE_END}[A-Za-z0-9+/=]{30,})+(?:(?:${LINE_END}[A-Za-z0-9+/=]{1,80}){0,2}${LINE_END}-----END ${PEM_EDGE})?`,
    'g',
  ),
  insideWord: true,
};

/** RFC 7519: the first part is a JSON object with an algorithm. */
const jwt: SecretRule = {
  kind: 'jwt',
  probe: { expression: String.raw`eyJ[\w-]{8}` },
  pattern:
    /(?<=^|[^A-Za-z0-9_-]|\\[nrt])eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,16000}\.[A-Za-z0-9_-]{8,4000}/g,
  confirm: (secret) => {
    const header = secret.slice(0, secret.indexOf('.'));
    try {
      return atob(header.replaceAll('-', '+').replaceAll('_', '/')).includes('"alg"');
    } catch {
      return false;
    }
  },
};

/** RFC 6750, wherever the word stands before something that no person wrote. */
const bearer: SecretRule = {
  kind: 'bearer_token',
  probe: { expression: String.raw`(?:earer|EARER)(?:\s|%20)` },
  pattern: /bearer(?:\s|%20){1,4}(?<secret>[A-Za-z0-9._~+/-]{16,}={0,2})/dgi,
  confirm: (secret) => looksRandom(secret),
};

/** In its header a credential may be short and of letters only; `Basic` must be what it says (RFC 7617). */
const authorization: SecretRule = {
  kind: 'authorization',
  probe: { expression: `(?:uthorization|UTHORIZATION)${ASSIGNED}` },
  pattern: new RegExp(
    `authorization${ASSIGNED}(?:basic|bearer|token|apikey|key|bot)\\s{1,4}(?<secret>[A-Za-z0-9._~+/=:-]{6,})`,
    'dgi',
  ),
  insideWord: true,
  confirm: (secret, text, at) =>
    /basic\s+$/i.test(text.slice(Math.max(0, at - 10), at)) ? isBasic(secret) : isCredential(secret),
};

const PLACEHOLDER =
  /^(?:your|my|the|some)?[_-]?(?:api|access|auth|secret|bearer|jwt|user)?[_-]?(?:key|token|secret|here|x+|\.+)/i;

function isCredential(value: string): boolean {
  return /\d/.test(value) || (value.length >= 12 && !PLACEHOLDER.test(value) && /[a-z][A-Z]/.test(value));
}

function isBasic(value: string): boolean {
  try {
    return /^[^\s:]*:[\x20-\x7e]+$/.test(atob(value));
  } catch {
    return false;
  }
}

/** One `Cookie` or `Set-Cookie` header; what is replaced are its values, see `cookieValues`. */
const cookie: SecretRule = {
  kind: 'cookie',
  probe: { expression: `(?:ookie|OOKIE)["'\\\\\\s]{0,6}:` },
  pattern:
    /(?<![A-Za-z])(?:set-)?cookie["'\\\s]{0,6}:["'\\\s[]{0,8}(?<secret>[\w!#$%&*+.^`|~-]{1,80}=[^\s"'\\;]{4,4000}(?:;\s?[\w!#$%&*+.^`|~-]{1,80}(?:=[^\s"'\\;]{0,4000})?){0,60})/dgi,
  insideWord: true,
};

/** RFC 3986 userinfo: the password alone; the user and the host say what was called. */
const urlPassword: SecretRule = {
  kind: 'url_password',
  probe: {
    expression: String.raw`:(?:\\?\/){2}[^\s/@:?#"'<>\\]{0,80}:[^\s/@"'<>\\]{1,200}@`,
  },
  pattern:
    /[A-Za-z][A-Za-z0-9+.-]{0,30}:(?:\\?\/){2}[^\s/@:?#"'<>\\]{0,80}:(?<secret>[^\s/@"'<>\\]{1,200})@(?=[\w[])/dg,
  insideWord: true,
  confirm: (secret) => !/^[[${*x.%]|^password$/i.test(secret),
};

/** `api_key=…`, `"client_secret": "…"`, `X-Api-Key: …`: only values that look drawn at random. */
const assigned: SecretRule = {
  kind: 'assigned_secret',
  probe: { expression: ASSIGNED_SECRET },
  pattern: new RegExp(
    `(?:api[_-]?key|client[_-]?secret|secret[_-]?key|app[_-]?secret|signing[_-]?secret|(?:access|auth|refresh|session|id|api|bot|private)[_-]?token)${ASSIGNED}(?<secret>[A-Za-z0-9_./+=~-]{16,512})`,
    'dgi',
  ),
  insideWord: true,
  confirm: (secret) => looksRandom(secret, 3.2) && !UUID.test(secret),
};

/** An identifier's usual shape: what a field called token holds may also be its id. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const CONTEXT_RULES: readonly SecretRule[] = [
  privateKey,
  jwt,
  authorization,
  bearer,
  cookie,
  urlPassword,
  assigned,
];
