/**
 * Names of people. Which set a name belongs to is a keyed hash of the name itself, so the sets are disjoint by
 * construction however many names are drawn and whatever the seed.
 */
import { sha256 } from '#kernel/sha256';
import type { Rng } from '#kernel/random';

export type NamePool = 'demonstration' | 'train' | 'validation' | 'heldout';

const KEY = 'workplace-names-v1';
/** Upper bounds of the first hash byte; demonstrations need thousands of names, the others draw a few hundred. */
const BOUNDS: ReadonlyArray<[number, NamePool]> = [
  [112, 'demonstration'],
  [152, 'train'],
  [184, 'validation'],
  [256, 'heldout'],
];

const COMMON = (
  'Anna Bob Carlos Dmitri Yasmin Xavier Quentin Sophie Thomas Walter Miriam Jennifer Hannah Otto Phillip Ingrid Zoe Kwame ' +
  'Priya Chen Lukas Maria Ahmed Fatima Olga Ivan Pierre Claire Marta Jonas Emily Jacob Noah Olivia Liam Mia Ethan Ava Lucas ' +
  'Isabel Diego Elena Sven Astrid Bjorn Freya Hugo Louise Matteo Giulia Paolo Chiara Rafael Camila Mateo Lucia Andrei Ioana ' +
  'Tomas Zuzana Janos Eszter Kenji Yuki Hiro Aiko Minjun Jiwoo Wei Mei Arjun Ananya Vikram Deepa Omar Layla Hassan Noor Kofi ' +
  'Amara Chidi Ngozi Thabo Zanele Aaron Abigail Bennett Cassandra Derrick Everett Fiona Gregory Harriet Isaac Jessica Kevin ' +
  'Lillian Malcolm Natalie Oscar Penelope Russell Samantha Timothy Ursula Victoria William Yvette Zachary'
).split(' ');

export function poolOf(name: string): NamePool {
  const byte = Number.parseInt(sha256(`${KEY}:${name}`).slice(0, 2), 16);
  return BOUNDS.find(([bound]) => byte < bound)?.[1] ?? 'heldout';
}

/** A fresh name of the pool, other than those in `taken`. */
export function drawName(rng: Rng, pool: NamePool, taken: ReadonlySet<string> = new Set()): string {
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const name = candidate(rng, pool);
    if (!taken.has(name) && poolOf(name) === pool) return name;
  }
  throw new RangeError(`no name left in pool ${pool}`);
}

/**
 * Demonstrations are mostly uniform over the alphabet: copying learned on letters alone carries over to any name.
 * Tasks look like names of people.
 */
function candidate(rng: Rng, pool: NamePool): string {
  const u = rng.next();
  if (pool === 'demonstration') return u < 0.2 ? syllables(rng) : letters(rng);
  if (u < 0.65) return syllables(rng);
  return u < 0.8 ? rng.pick(COMMON) : letters(rng);
}

function syllables(rng: Rng): string {
  const count = rng.pick([2, 2, 3]);
  let name = '';
  for (let i = 0; i < count; i++) name += rng.pick([...'bdfghjklmnprstvwz']) + rng.pick([...'aeiou']);
  if (rng.next() < 0.5) name += rng.pick([...'lnrst']);
  return capitalize(name);
}

/** Uniform letters; half of them with a doubled or repeated letter, where copying by attention gets lost. */
function letters(rng: Rng): string {
  const chars = Array.from({ length: 3 + rng.int(7) }, () => letter(rng));
  const at = rng.int(chars.length);
  const u = rng.next();
  if (u < 0.35) chars.splice(at, 0, chars[at] as string);
  else if (u < 0.5) chars[at] = rng.pick(chars);
  return capitalize(chars.slice(0, 9).join(''));
}

function letter(rng: Rng): string {
  return String.fromCharCode(97 + rng.int(26));
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/**
 * The name with two neighbours swapped or one letter replaced: what a policy that miscopies writes. It stays in the
 * name's own pool, so that no demonstration shows a held-out name by accident.
 */
export function miscopy(rng: Rng, name: string): string {
  for (let attempt = 0; attempt < 1_000; attempt++) {
    const at = rng.int(name.length - 1);
    const swapped = name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2);
    const replaced = name.slice(0, at) + letter(rng) + name.slice(at + 1);
    const wrong = rng.next() < 0.6 ? swapped : replaced;
    if (wrong !== name && poolOf(wrong) === poolOf(name)) return wrong;
  }
  throw new RangeError(`no miscopy of ${name} stays in its pool`);
}
