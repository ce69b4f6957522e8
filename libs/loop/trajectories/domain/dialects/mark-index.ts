import type { Span } from '../span.js';

/** Finds who owns a name by its first word, so that one pass over a span's attributes asks all dialects at once. */
export class MarkIndex<Owner> {
  private readonly byWord = new Map<string, { mark: string; owner: Owner }[]>();

  constructor(entries: readonly { marks: readonly string[]; owner: Owner }[]) {
    for (const { marks, owner } of entries) {
      for (const mark of marks) {
        const known = this.byWord.get(firstWord(mark));
        if (known === undefined) this.byWord.set(firstWord(mark), [{ mark, owner }]);
        else known.push({ mark, owner });
      }
    }
  }

  /** Owners of any attribute or event of the span. */
  ownersOf(span: Span): ReadonlySet<Owner> {
    const owners = new Set<Owner>();
    for (const name in span.attributes) this.addOwners(name, owners);
    for (const event of span.events) this.addOwners(event.name, owners);
    return owners;
  }

  hasOwner(name: string): boolean {
    const owners = new Set<Owner>();
    this.addOwners(name, owners);
    return owners.size > 0;
  }

  private addOwners(name: string, owners: Set<Owner>): void {
    for (const { mark, owner } of this.byWord.get(firstWord(name)) ?? [])
      if (mark.endsWith('.') ? name.startsWith(mark) : name === mark) owners.add(owner);
  }
}

function firstWord(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? name : name.slice(0, dot);
}
