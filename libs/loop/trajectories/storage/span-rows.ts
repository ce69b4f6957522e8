/** Spans and the texts they name as lines of JSONCompactEachRow, in the order of the columns. */
import { mayBeEntry } from '../domain/completion.js';
import { dialectOf } from '../domain/dialects/index.js';
import { wellFormed } from '../domain/json.js';
import type { Span } from '../domain/span.js';
import type { MessageText, PackedSpan } from './span-packer.js';

export const SPAN_COLUMNS = [
  'project_id',
  'trace_id',
  'span_id',
  'parent_span_id',
  'received_seq',
  'name',
  'kind',
  'start_ns',
  'end_ns',
  'status_code',
  'status_message',
  'scope',
  'dialect',
  'may_be_entry',
  'response_id',
  'attributes',
  'events',
  'resource',
  'session_id',
  'list_attributes',
  'list_separators',
  'list_hashes',
  'claims',
] as const;

export const MESSAGE_COLUMNS = ['project_id', 'month', 'session_id', 'hash', 'content'] as const;
export const SHARED_TEXT_COLUMNS = ['project_id', 'month', 'hash', 'content'] as const;

/** Spans of one request share their resource: it is written as text once. */
export class SpanRowWriter {
  private readonly resources = new WeakMap<object, string>();

  /** Attributes, events and resource go as JSON values: the store keeps their text to the byte without a second escaping. */
  lineOf(projectId: string, span: Span, place: { receivedSeq: bigint; packed: PackedSpan }): string {
    const { receivedSeq, packed } = place;
    const dialect = dialectOf(span);
    const { kind, responseId } = dialect.identify(span);
    const { lists } = packed;
    const claims = span.claims === undefined ? '' : JSON.stringify(span.claims);
    return `[${quoted(projectId)},${quoted(span.traceId)},${quoted(span.spanId)},${quoted(span.parentSpanId ?? '')},${receivedSeq},${
      quoted(wellFormed(span.name)) //
    },${span.kind},${span.startNs},${span.endNs},${span.status.code},${quoted(wellFormed(span.status.message))},${quoted(
      wellFormed(span.scope),
    )},${quoted(dialect.name)},${mayBeEntry(span, kind) ? 1 : 0},${quoted(wellFormed(responseId ?? ''))},${packed.attributes},${
      span.events.length === 0 ? '[]' : JSON.stringify(span.events)
    },${this.resourceText(span.resource)},${quoted(packed.sessionId)},${listsText(lists)},${quoted(claims)}]`;
  }

  private resourceText(resource: object): string {
    const known = this.resources.get(resource);
    if (known !== undefined) return known;
    const text = JSON.stringify(resource);
    this.resources.set(resource, text);
    return text;
  }
}

export function messageLine({ projectId, month, sessionId, hash, content }: MessageText): string {
  return `[${quoted(projectId)},${month},${quoted(sessionId ?? '')},"${hash}",${quoted(content)}]`;
}

export function sharedTextLine({ projectId, month, hash, content }: MessageText): string {
  return `[${quoted(projectId)},${month},"${hash}",${quoted(content)}]`;
}

function listsText(lists: PackedSpan['lists']): string {
  if (lists.length === 0) return '[],[],[]';
  const attributes = lists.map(({ attribute }) => quoted(wellFormed(attribute))).join();
  const separators = lists.map(({ separator }) => quoted(separator)).join();
  const hashes = lists.map((list) => `["${list.hashes.join('","')}"]`).join();
  return `[${attributes}],[${separators}],[${hashes}]`;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
