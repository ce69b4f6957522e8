/** Which kind of task a trajectory was, where its source says so. */
import type { Trajectory } from '#contracts/trajectory';

export interface TaskKind {
  family: string | null;
  slice: string | null;
}

/** Reads `slice` and `family` from metadata, plain or under the environment's own prefix (`workplace.slice`). */
export function taskKindOf(metadata: Trajectory['metadata']): TaskKind {
  const read = (name: string): string | null => {
    const key = Object.keys(metadata).find((each) => each === name || each.endsWith(`.${name}`));
    const value = key === undefined ? undefined : metadata[key];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  return { family: read('family'), slice: read('slice') };
}

/** The environment's slices of these kinds: the named ones, or all of a family where the slice is not said. */
export function slicesOfKinds(kinds: readonly TaskKind[], known: readonly string[]): string[] {
  const wanted = (slice: string): boolean =>
    kinds.some(
      (kind) =>
        kind.slice === slice ||
        (kind.slice === null &&
          kind.family !== null &&
          (slice === kind.family || slice.startsWith(`${kind.family}/`))),
    );
  return known.filter(wanted);
}
