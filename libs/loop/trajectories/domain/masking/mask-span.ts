import { CleanBeginnings } from './clean-beginnings.js';
import { maskJson } from './mask-json.js';
import { maskText } from './mask-text.js';
import type { Replace } from './rule.js';
import type { Span } from '../span.js';

/** Every text of a span that its sender wrote; ids and times are not texts. The same span where nothing is hidden. */
export function maskSpan(span: Span, replace: Replace, clean = new CleanBeginnings()): Span {
  const name = maskText(span.name, replace);
  const scope = maskText(span.scope, replace);
  const message = maskText(span.status.message, replace);
  const attributes = maskJson(span.attributes, replace, clean);
  const resource = maskJson(span.resource, replace);
  const events = span.events.length === 0 ? span.events : maskJson(span.events, replace);
  const isSame =
    name === span.name &&
    scope === span.scope &&
    message === span.status.message &&
    attributes === span.attributes &&
    resource === span.resource &&
    events === span.events;
  if (isSame) return span;
  return { ...span, name, scope, attributes, resource, events, status: { ...span.status, message } };
}
