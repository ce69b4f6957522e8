import type { Span } from '../span.js';

/** Names repeat from span to span; beyond this many different ones they are looked up anew each time. */
const MAX_REMEMBERED = 4_096;

/**
 * Finds who owns a name, so that one pass over a span's attributes asks all owners at once. Owners are known by their
 * place in the list: a set of them is a bit mask.
 */
export class MarkIndex {
  private readonly byWord = new Map<string, { mark: string; bit: number }[]>();
  private readonly remembered = new Map<string, number>();

  /** One list of marks an owner, at most 31. A mark is a whole name or, with a dot at its end, the beginning of names. */
  constructor(marksOfOwners: readonly (readonly string[])[]) {
    marksOfOwners.forEach((marks, owner) => {
      for (const mark of marks) {
        const entry = { mark, bit: 1 << owner };
        const known = this.byWord.get(firstWord(mark));
        if (known === undefined) this.byWord.set(firstWord(mark), [entry]);
        else known.push(entry);
      }
    });
  }

  /** Owners of any attribute or event of the span. */
  ownersOf(span: Span): number {
    let owners = 0;
    for (const name in span.attributes) owners |= this.ownersOfName(name);
    for (const event of span.events) owners |= this.ownersOfName(event.name);
    return owners;
  }

  ownersOfName(name: string): number {
    const known = this.remembered.get(name);
    if (known !== undefined) return known;
    let owners = 0;
    for (const { mark, bit } of this.byWord.get(firstWord(name)) ?? [])
      if (mark.endsWith('.') ? name.startsWith(mark) : name === mark) owners |= bit;
    if (this.remembered.size < MAX_REMEMBERED) this.remembered.set(name, owners);
    return owners;
  }
}

function firstWord(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}
