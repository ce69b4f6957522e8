import type { AssembledTrajectory } from '../domain/assemble.js';
import type { Span } from '../domain/span.js';

/** What a row of a file is worth: a whole trajectory, or spans (with what could not be taken) that are assembled like any others. */
export type RowContent =
  | { kind: 'trajectory'; trajectory: RowTrajectory }
  | { kind: 'spans'; spans: Span[]; leftOut: string | null };

/** A trajectory as its format reads it; identity and project are the import's to give, and its time where the row tells none. */
export type RowTrajectory = Omit<
  AssembledTrajectory,
  'id' | 'projectId' | 'source' | 'startedAtNs' | 'endedAtNs'
> &
  Partial<Pick<AssembledTrajectory, 'startedAtNs' | 'endedAtNs'>>;

/** One file format: how to know its rows and how to read them. A new one is a file and a line in the table. */
export interface Format {
  /** The value of `?format=`. */
  name: string;
  detects(row: unknown): boolean;
  /** @throws BadRow with a reason that a person can act on. */
  read(row: unknown): RowContent;
}

/** The row is not what its format says. The text is public. */
export class BadRow extends Error {}
