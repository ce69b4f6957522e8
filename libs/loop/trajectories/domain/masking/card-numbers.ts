/**
 * Numbers of payment cards: ISO/IEC 7812 check digit, the networks' issuer ranges with their lengths, and the ways such a
 * number is written. One in ten numbers passes the check digit alone, so a plain run of digits that is called an id is none.
 */
import type { SecretRule } from './rule.js';

interface Network {
  /** First and last issuer prefix, as digits of equal length. */
  from: number;
  to: number;
  lengths: readonly number[];
}

const NETWORKS: readonly Network[] = [
  { from: 4, to: 4, lengths: [13, 16, 19] },
  { from: 51, to: 55, lengths: [16] },
  { from: 2221, to: 2720, lengths: [16] },
  { from: 34, to: 34, lengths: [15] },
  { from: 37, to: 37, lengths: [15] },
  { from: 300, to: 305, lengths: [14] },
  { from: 36, to: 36, lengths: [14] },
  { from: 38, to: 39, lengths: [14, 16] },
  { from: 3528, to: 3589, lengths: [16] },
  { from: 6011, to: 6011, lengths: [16, 19] },
  { from: 644, to: 649, lengths: [16, 19] },
  { from: 65, to: 65, lengths: [16, 19] },
  { from: 62, to: 62, lengths: [16, 17, 18, 19] },
];

export const cardNumber: SecretRule = {
  kind: 'card_number',
  probe: { expression: String.raw`(?<!\d)[2-6]\d{3}(?:[ -]\d{4}[ -]\d{4}[ -]|[ -]\d{6}[ -]|\d{9})\d` },
  pattern:
    /(?<![\w.-])(?<secret>\d{4}([ -])\d{4}\2\d{4}\2\d{4}(?:\2\d{3})?|\d{4}([ -])\d{6}\3\d{4,5}|\d{13,19})(?![\w-]|\.\d)/dg,
  insideWord: true,
  confirm: (secret, text, at) => {
    const digits = secret.replace(/\D/g, '');
    return isCardNumber(digits) && (digits !== secret || !isCalledAnId(text, at));
  },
};

export function isCardNumber(digits: string): boolean {
  return NETWORKS.some((network) => isOf(network, digits)) && passesLuhn(digits);
}

function isOf({ from, to, lengths }: Network, digits: string): boolean {
  const prefix = Number(digits.slice(0, String(from).length));
  return prefix >= from && prefix <= to && lengths.includes(digits.length);
}

function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at]);
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

const CONTEXT_CHARS = 40;
const CARD_WORD = /card|visa|master|amex|american express|discover|\bpan\b|\bcc\b|credit|debit|payment/i;
const ID_WORD =
  /(?:id|order|number|no|ref|reference|tracking|invoice|transaction|account|phone|time|timestamp)s?\b["'\\]*\s*[:=#]?\s*["'\\#]*$/i;

/** `"order_id": "4…"`, `order #4…`: unless the words before speak of a card. */
function isCalledAnId(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - CONTEXT_CHARS), at);
  return ID_WORD.test(before) && !CARD_WORD.test(before);
}
