/** Which arguments carry an identity: a value that has to be copied, never made up. */
import type { Leaf } from '../json-values.js';

const ID_KEY = /(^|[_-])(ids?|uuids?|guids?|iban|sku|username|email|e_mail)$|[a-z](Ids?|IDs?|Uuids?)$/;
/** Keys of amounts and times: their values are worked out, so not being said means nothing. */
const COMPUTED_KEY =
  /age|amount|balance|cost|count|date|day|duration|hour|limit|max|min|month|number_of|offset|page|price|quantity|size|time|total|year|zip/i;
const DATE_OR_TIME = /^\d{4}-\d{2}|^\d{1,2}:\d{2}|^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}/;
const AMOUNT = /^[-+]?[\d.,]+$/;
const MIN_LENGTH = 3;
const MAX_LENGTH = 80;

export function isIdLike(leaf: Leaf): boolean {
  if (typeof leaf.value === 'boolean') return false;
  const text = String(leaf.value);
  if (/\s/.test(text) || text.length > MAX_LENGTH) return false;
  if (ID_KEY.test(leaf.key)) return text !== '';
  if (typeof leaf.value === 'number' || text.length < MIN_LENGTH || !/\d/.test(text)) return false;
  if (DATE_OR_TIME.test(text) || COMPUTED_KEY.test(leaf.key)) return false;
  return /^\d+$/.test(text) || !AMOUNT.test(text);
}
