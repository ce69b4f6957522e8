import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { seededRng } from '#kernel/random';
import { projectRoot } from '#platform/runtime';
import { PRIVATE_KEY, SECRET_SAMPLES, VISA } from '../../testing/secrets.js';
import { isCardNumber } from './card-numbers.js';
import { CONTEXT_RULES } from './context-rules.js';
import { maskJson } from './mask-json.js';
import { maskText, maySecret } from './mask-text.js';
import { TOKEN_RULES } from './token-rules.js';

const replace = (kind: string): string => `[secret:${kind}:0123456789ab]`;
const mask = (text: string): string => maskText(text, replace);

describe('secrets in text', () => {
  it.each(SECRET_SAMPLES.map((sample) => [sample.kind, sample] as const))(
    'a %s is replaced and nothing around it',
    (kind, { text, secret }) => {
      expect(mask(text)).toBe(text.replace(secret, replace(kind)));
    },
  );

  it('every rule has a sample above', () => {
    const sampled = new Set(SECRET_SAMPLES.map(({ kind }) => kind));
    expect(
      [...TOKEN_RULES, ...CONTEXT_RULES].map(({ kind }) => kind).filter((kind) => !sampled.has(kind)),
    ).toEqual([]);
  });

  it('masked again, nothing changes', () => {
    for (const { text } of SECRET_SAMPLES) expect(mask(mask(text))).toBe(mask(text));
  });

  it('a key that was cut off is replaced as far as it goes, and the text after it stays', () => {
    const cut = PRIVATE_KEY.slice(0, PRIVATE_KEY.lastIndexOf('\n', PRIVATE_KEY.length - 60));
    expect(mask(`${cut}\n\nand so on, says he`)).toBe(`${replace('private_key')}\n\nand so on, says he`);
    expect(mask(`key = '${PRIVATE_KEY.replaceAll('\n', '\\n')}'`)).toBe(`key = '${replace('private_key')}'`);
  });

  it.each([
    'order #4111111111111111 has shipped',
    '{"order_id": "4111111111111111"}',
    'credit_card_4111111111111111',
    '4111 1111 1111 1112',
    '0.4111111111111111',
    '1700000000000000000',
    '3b241101-e2bb-4255-8caf-4136c566a962',
    'd7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592',
    'sk-learn and task-management-system-for-larger-teams',
    'Authorization: Bearer <token>',
    "headers = {'Authorization': f'Bearer {token}'}",
    'api_key = "YOUR_GOOGLE_MAPS_API_KEY"',
    'Bearer authentication-is-described-below',
    'https://example.com:8080/a?b=c@d',
    'postgres://app:${PASSWORD}@db/app',
    'Cookie: theme=dark; lang=en-US',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
    'the header is -----BEGIN PRIVATE KEY----- and then base64',
    'US133000000121212121212',
  ])('stays to the byte: %s', (text) => expect(mask(text)).toBe(text));
});

describe('secrets in JSON text', () => {
  it('stays JSON with its spacing, order and spelling, also where a number or an escape hides the secret', () => {
    const text =
      '{ "z":  "caf\\u00e9 4111 1111 1111 1111",\n "card": 4111111111111111, "n": 1.50, "a": "sk\\u002dproj-abcdefghij0123456789" }';
    const masked = mask(text);
    expect(masked).toBe(
      `{ "z":  "caf\\u00e9 ${replace('card_number')}",\n "card": "${replace('card_number')}", "n": 1.50, "a": "${replace('openai_key')}" }`,
    );
    expect(() => JSON.parse(masked) as unknown).not.toThrow();
  });

  it('a JSON text within a JSON text within a JSON text stays one', () => {
    const text = JSON.stringify({
      a: JSON.stringify({ b: JSON.stringify({ card: 4111111111111111, x: '\\"\n' }) }),
    });
    const masked = JSON.parse(mask(text)) as { a: string };
    const inner = JSON.parse((JSON.parse(masked.a) as { b: string }).b) as unknown;
    expect(inner).toEqual({ card: replace('card_number'), x: '\\"\n' });
  });

  it('any sample in any JSON text leaves JSON text', () => {
    const rng = seededRng(3);
    for (let n = 0; n < 300; n++) {
      const { text } = rng.pick(SECRET_SAMPLES);
      const value = {
        q: `"${text}\\`,
        list: [text, 7, rng.next()],
        inner: JSON.stringify({ t: text, 'k"': [text] }),
      };
      const masked = mask(JSON.stringify(value, null, rng.int(3)));
      expect(JSON.parse(masked)).toEqual(JSON.parse(JSON.stringify(maskJson(value, replace))));
    }
  });
});

describe('secrets in data', () => {
  it('names, values, card numbers as numbers and headers are replaced; order and the rest stay', () => {
    const value = JSON.parse(
      `{"b": 1, "__proto__": "${VISA}", "${VISA}": [4111111111111111, 12], "http.request.header.cookie": ["a=0123456789"], "x-api-key": "short-one", "api_key": "a1B2c3D4e5F6g7H8", "id": "a1B2c3D4e5F6g7H8"}`,
    ) as Record<string, unknown>;
    expect(JSON.stringify(maskJson(value, replace))).toBe(
      `{"b":1,"__proto__":"${replace('card_number')}","${replace('card_number')}":["${replace('card_number')}",12],` +
        `"http.request.header.cookie":["a=${replace('cookie')}"],"x-api-key":"${replace('authorization')}","api_key":"${replace('assigned_secret')}","id":"a1B2c3D4e5F6g7H8"}`,
    );
  });

  it('is the same value, not a copy, without a secret; nests as deep as memory allows', () => {
    const clean = { a: [{ b: 'text' }] };
    expect(maskJson(clean, replace)).toBe(clean);
    let deep: unknown = VISA;
    for (let depth = 0; depth < 200_000; depth++) deep = [deep];
    let at = maskJson(deep, replace);
    while (Array.isArray(at)) at = at[0] as unknown;
    expect(at).toBe(replace('card_number'));
  });
});

it('knows issuers, lengths and the check digit', () => {
  const valid = [
    '4111111111111111',
    '378282246310005',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
    '2223003122003222',
  ];
  expect(valid.filter((digits) => !isCardNumber(digits))).toEqual([]);
  expect(['4111111111111112', '9999999999999995', '41111111111111111', ''].filter(isCardNumber)).toEqual([]);
});

it('text made to be slow to search is not', () => {
  const unit = [
    'eyJ',
    'sk-',
    '-----BEGIN PRIVATE KEY-----\n',
    'http://a:',
    'Bearer ',
    'Cookie: a=',
    '4111 ',
    'api_key=',
    'AKIA',
    '\\u002d',
    '_',
  ];
  const startedAt = performance.now();
  for (const text of unit) mask(text.repeat(Math.ceil(300_000 / text.length)));
  // Quadratic search of 300,000 characters takes minutes; the bound is far from what a slow machine needs.
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

const dataDir = join(projectRoot(), '..', 'shared', 'data');
const files = existsSync(dataDir)
  ? readdirSync(dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  : [];

/** Both are card numbers by the words around them: a tool that checks card numbers, and one that makes them up. */
const TRUE_HITS = ['card_number 4024007197756652', 'card_number 4748641910672252'];

(files.length > 0 ? it : it.skip)(
  `of ${files.length} files of recorded runs only card numbers are touched`,
  () => {
    const hits = new Set<string>();
    const note = (kind: string, secret: string): string => {
      hits.add(`${kind} ${secret}`);
      return replace(kind);
    };
    for (const file of files) {
      const bytes = readFileSync(file);
      const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
      for (const row of rowsOf(text)) maskJson(row, note);
    }
    expect([...hits].sort()).toEqual(TRUE_HITS);
    expect(maySecret('4024007197756652')).toBe(true);
  },
);

/** The document, its lines as documents, or plain lines. */
function rowsOf(text: string): unknown[] {
  try {
    return [JSON.parse(text) as unknown];
  } catch {
    return text.split('\n').map((line) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        return line;
      }
    });
  }
}
