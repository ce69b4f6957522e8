/** What several partial events told of one trace or one observation of Langfuse → that trace or observation. */
import { isObject, unwrapJson } from './json.js';

type Fields = Readonly<Record<string, unknown>>;

export interface PartialFact {
  /** `<what>-create` or `<what>-update`. */
  type: string;
  /** The sender's time: the last one wins, field by field. */
  timestampNs: bigint;
  /** The server's order, for events of one time. */
  receivedSeq: bigint;
  body: Fields;
}

/**
 * Fields that an event does not name, or names with null, keep what earlier ones said. Metadata are merged member by member,
 * tags are collected. What kind of observation it is, its creation says, whenever that comes.
 */
export function mergeFacts(facts: readonly PartialFact[]): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  const ordered = [...facts].sort(byTime);
  for (const { body } of ordered)
    for (const [key, value] of Object.entries(body)) {
      if (value === null || value === undefined) continue;
      merged[key] = key in merged ? joined(key, merged[key], value) : value;
    }
  const made = ordered.find(({ type }) => !isUpdate(type)) ?? ordered[0];
  const kind = made === undefined ? undefined : kindOf(made);
  if (kind !== undefined) merged['type'] = kind;
  return merged;
}

function joined(key: string, before: unknown, now: unknown): unknown {
  if (key === 'metadata') {
    const [a, b] = [unwrapJson(before), unwrapJson(now)];
    return isObject(a) && isObject(b) ? { ...a, ...b } : now;
  }
  if (key === 'tags' && Array.isArray(before) && Array.isArray(now)) return [...new Set([...before, ...now])];
  return now;
}

/** `observation-create` says the kind in its body, all others in their own name. */
function kindOf({ type, body }: PartialFact): string | undefined {
  const named = type.replace(/-(create|update)$/, '');
  if (named === 'trace') return undefined;
  if (named !== 'observation') return named;
  return typeof body['type'] === 'string' ? body['type'].toLowerCase() : 'span';
}

function isUpdate(type: string): boolean {
  return type.endsWith('-update');
}

function byTime(a: PartialFact, b: PartialFact): number {
  if (a.timestampNs !== b.timestampNs) return a.timestampNs < b.timestampNs ? -1 : 1;
  // Of one millisecond: an update comes after what it updates, also where the creation was sent again.
  const order = Number(isUpdate(a.type)) - Number(isUpdate(b.type));
  return order || (a.receivedSeq < b.receivedSeq ? -1 : 1);
}
