/** JSON that others wrote: read without trusting its size, depth or form. */

export type JsonObject = Record<string, unknown>;

/** Deeper than any tool call that means something; a walk over more could exhaust the stack. */
const MAX_DEPTH = 64;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The parsed value, or undefined where the text is no JSON or nests deeper than 64 levels. */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
  return false;
}

export interface Leaf {
  /** Nearest member name above the value: `id` for `{"rows": [{"id": 1}]}`, also through a list of plain values. */
  key: string;
  value: string | number | boolean;
  /** Directly a member of the outermost object. */
  top: boolean;
}

/** Scalar leaves in document order, at most `limit`. The value must not nest deeper than `parseJson` allows. */
export function leavesOf(root: unknown, limit: number): Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (leaves.length >= limit) return;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      leaves.push({ key, value, top: depth === 1 });
      return;
    }
    if (Array.isArray(value)) for (const item of value) visit(item, key, depth + 1);
    else if (isObject(value))
      for (const [name, member] of Object.entries(value)) visit(member, name, depth + 1);
  };
  visit(root, '', 0);
  return leaves;
}

/** Every object in the value, outermost first, at most `limit`. */
export function objectsOf(root: unknown, limit: number): JsonObject[] {
  const found: JsonObject[] = [];
  let level: unknown[] = [root];
  while (level.length > 0 && found.length < limit) {
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (!Array.isArray(value)) found.push(value as JsonObject);
      for (const member of Object.values(value)) next.push(member);
    }
    level = next;
  }
  return found.slice(0, limit);
}
