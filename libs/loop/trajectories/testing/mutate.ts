/** Broken bodies from whole ones, for specs: what networks, buggy exporters and attackers make of them. Seeded. */
import type { Rng } from '#kernel/random';
import { isDeeperThan, MAX_JSON_DEPTH } from '../domain/json.js';

/** One of: a flipped byte, a cut, a part twice, a part gone, noise put in. At most a few at once. */
export function mutateBytes(body: Buffer, rng: Rng): Buffer {
  let mutated: Buffer = body;
  for (let times = rng.int(4) + 1; times > 0; times--) mutated = oneByteMutation(mutated, rng);
  return mutated;
}

function oneByteMutation(body: Buffer, rng: Rng): Buffer {
  const at = rng.int(Math.max(1, body.length));
  const length = rng.int(40);
  switch (rng.int(5)) {
    case 0: {
      const flipped = Buffer.from(body);
      if (flipped.length > 0) flipped[at] = (flipped[at] ?? 0) ^ (1 << rng.int(8));
      return flipped;
    }
    case 1:
      return body.subarray(0, at);
    case 2:
      return Buffer.concat([body.subarray(0, at), body.subarray(at, at + length), body.subarray(at)]);
    case 3:
      return Buffer.concat([body.subarray(0, at), body.subarray(at + length)]);
    default: {
      const noise = Buffer.from(Array.from({ length }, () => rng.int(256)));
      return Buffer.concat([body.subarray(0, at), noise, body.subarray(at)]);
    }
  }
}

const STRANGE: readonly string[] = [
  null,
  true,
  0,
  -1,
  1e308,
  4111111111111111,
  '',
  '\0',
  '\ud800',
  '__proto__',
  'constructor',
  '[[[[',
  '{"a":',
  '['.repeat(3_000) + ']'.repeat(3_000),
  '9'.repeat(400),
  [],
  {},
  [null],
  [[]],
  { role: 'assistant' },
  { toString: 1, length: -1 },
].map((value) => JSON.stringify(value));

/** The same value with some members of another type, gone, doubled, or under another name; also inside JSON texts. */
export function mutateValue(value: unknown, rng: Rng): unknown {
  const copy = JSON.parse(JSON.stringify({ root: value })) as Record<string, unknown>;
  for (let times = rng.int(3) + 1; times > 0; times--) mutateMember(copy, rng);
  return copy['root'];
}

function mutateMember(root: Record<string, unknown>, rng: Rng): void {
  const places: [Record<string, unknown>, string][] = [];
  const stack: unknown[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node !== 'object' || node === null) continue;
    for (const [key, member] of Object.entries(node)) {
      places.push([node as Record<string, unknown>, key]);
      if (member !== null && member !== undefined) stack.push(member);
    }
  }
  const [holder, key] = rng.pick(places);
  const inner = holder === root ? undefined : jsonIn(holder[key]);
  if (inner !== undefined && rng.int(3) > 0) {
    holder[key] = JSON.stringify(mutateValue(inner, rng)) ?? '';
    return;
  }
  switch (rng.int(4)) {
    case 0:
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else if (holder !== root) Reflect.deleteProperty(holder, key);
      return;
    case 1:
      if (Array.isArray(holder)) holder.push(holder[Number(key)]);
      else if (holder !== root) holder[rng.pick(['id', 'messages', 'constructor', ''])] = holder[key];
      return;
    default:
      holder[key] = JSON.parse(rng.pick(STRANGE)) as unknown;
  }
}

function jsonIn(value: unknown): object | undefined {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return undefined;
  try {
    const parsed = JSON.parse(value) as object;
    return isDeeperThan(parsed, MAX_JSON_DEPTH) ? undefined : parsed;
  } catch {
    return undefined;
  }
}
