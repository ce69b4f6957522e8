/** Spans → rows: what a history says again and again becomes a hash, and each text a row of its own. */
import { hash } from 'node:crypto';
import type { JsonObject } from '../domain/json.js';
import type { Span } from '../domain/span.js';
import { HistorySplitter, type SplitList } from './history-splitter.js';

/** An attribute as the hashes of its parts. An empty separator stands for one text that is no list. */
export interface HashedList {
  attribute: string;
  separator: string;
  hashes: string[];
}

export interface PackedSpan {
  /** Whose messages these are: texts are kept once a session. */
  sessionId: string;
  /** JSON object; null where `lists` has the value. */
  attributes: string;
  lists: HashedList[];
}

export interface MessageText {
  projectId: string;
  /** YYYYMM */
  month: number;
  /** null for texts that sessions share. */
  sessionId: string | null;
  hash: string;
  content: string;
}

/** A hash takes 36 characters in a row: shorter texts are smaller as they are. */
const MIN_PART_CHARS = 48;
const MIN_TEXT_CHARS = 256;
const SESSION_ATTRIBUTES = ['gen_ai.conversation.id', 'session.id', 'langfuse.session.id', 'thread_id'];
/** Single texts that the spans of a session repeat: numbered messages, prompts. Results and arguments come once. */
const REPEATED = /message|prompt|instruction|definition|history/i;
const SHARED_ATTRIBUTE = /instruction|definition|(?:^|[._])tools?$/i;
const SHARED_ROLE = /^\{"role": ?"(?:system|developer)"/;

/** Packs the spans of one insert and gathers the texts they name. Holds texts; make one for each insert. */
export class SpanPacker {
  private readonly splitter = new HistorySplitter();
  private readonly hashes = new Map<string, string>();
  private readonly texts = new Map<string, MessageText>();
  private readonly longest = new Map<string, { place: string; hashes: string[] }>();

  pack(projectId: string, span: Span, month: number): PackedSpan {
    const sessionId = sessionOf(span);
    const place = { projectId, month, sessionId };
    const lists: HashedList[] = [];
    let rest: JsonObject = span.attributes;
    for (const attribute in span.attributes) {
      const value = span.attributes[attribute];
      if (typeof value !== 'string' || value.length < MIN_PART_CHARS) continue;
      const story = `${span.traceId} ${attribute}`;
      const split = this.split(attribute, value, story);
      if (split === null) continue;
      lists.push({
        attribute,
        separator: split.separator,
        hashes: this.hashesOf(split, { ...place, story, attribute }),
      });
      if (rest === span.attributes) rest = { ...span.attributes };
      rest[attribute] = null;
    }
    return { sessionId, attributes: JSON.stringify(rest), lists };
  }

  /** What the packed spans name, each once: to be stored before them. */
  messageTexts(): MessageText[] {
    return [...this.texts.values()];
  }

  private split(attribute: string, value: string, story: string): SplitList | null {
    // A plain column takes no lone surrogates: such a text stays within the attributes' JSON, where it is an escape.
    if (value.startsWith('[{') && value.isWellFormed()) {
      const split = this.splitter.split(value, story);
      if (split !== null && value.length >= split.parts.length * MIN_PART_CHARS) return split;
    }
    const isRepeated = value.length >= MIN_TEXT_CHARS && REPEATED.test(attribute) && value.isWellFormed();
    return isRepeated ? { parts: [value], separator: '', shared: 0 } : null;
  }

  /** Of a list that grew only the new parts are hashed. */
  private hashesOf(
    { parts, shared }: SplitList,
    {
      story,
      attribute,
      ...place
    }: Omit<MessageText, 'hash' | 'content'> & { story: string; attribute: string },
  ): string[] {
    const where = `${place.month} ${place.sessionId} ${place.projectId}`;
    const before = this.longest.get(story);
    const known = before?.place === where ? before.hashes.slice(0, shared) : [];
    const isShared = SHARED_ATTRIBUTE.test(attribute);
    const hashes = [
      ...known,
      ...parts.slice(known.length).map((content) => {
        const sessionId = isShared || SHARED_ROLE.test(content) ? null : place.sessionId;
        return this.keep({ ...place, sessionId, content });
      }),
    ];
    if (before === undefined || hashes.length > before.hashes.length)
      this.longest.set(story, { place: where, hashes });
    return hashes;
  }

  private keep(text: Omit<MessageText, 'hash'>): string {
    const known = this.hashes.get(text.content);
    const id = known ?? hashOf(text.content);
    if (known === undefined) this.hashes.set(text.content, id);
    const key = `${id} ${text.month} ${text.projectId} ${text.sessionId ?? ''}`;
    if (!this.texts.has(key)) this.texts.set(key, { ...text, hash: id });
    return id;
  }
}

function sessionOf(span: Span): string {
  for (const name of SESSION_ATTRIBUTES) {
    const value = span.attributes[name];
    if (typeof value === 'string' && value !== '' && value.length <= 256 && value.isWellFormed())
      return value.replaceAll('\0', '\ufffd');
  }
  return span.traceId;
}

/** The first 128 bits of SHA-256, written as ClickHouse reads a UUID. */
function hashOf(text: string): string {
  const hex = hash('sha256', text);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}
