import type { StoredRecord } from './event-log.js';

export interface RangeLimits {
  maxRecords: number;
  maxBytes: number;
}

export interface CutRange {
  first: bigint;
  through: bigint;
  /** When it was planned first; undefined: now. */
  plannedMs: number | undefined;
  records: StoredRecord[];
}

/** How far a range was meant to reach, and when that was decided. */
export interface RangePlan {
  through: bigint;
  atMs: number;
}

/** What is kept beside a committed offset. */
export interface OffsetNote {
  /** Of the range that begins at the offset. */
  plan?: RangePlan | undefined;
  /** When the newest record before the offset was appended, ms since the epoch. */
  handledMs?: number | undefined;
}

export function encodeNote({ plan, handledMs }: OffsetNote): string {
  const parts = [
    ...(handledMs === undefined ? [] : [`handled=${handledMs}`]),
    ...(plan === undefined ? [] : [`through=${plan.through}`, `at=${plan.atMs}`]),
  ];
  return parts.join(' ');
}

/** A note of another program, or none, says nothing. */
export function decodeNote(note: string | null | undefined): OffsetNote {
  const numbers = new Map(
    [...(note ?? '').matchAll(/\b(through|at|handled)=(\d+)/g)].map(([, name, digits]) => [name, digits]),
  );
  const through = numbers.get('through');
  const at = numbers.get('at');
  const handled = numbers.get('handled');
  return {
    plan:
      through === undefined || at === undefined ? undefined : { through: BigInt(through), atMs: Number(at) },
    handledMs: handled === undefined ? undefined : Number(handled),
  };
}

/**
 * Cuts one partition's records into ranges. A range that was planned before a crash is cut at its old bounds, however the
 * records arrive; new ones are cut where a limit is reached or the records at hand end.
 */
export class RangeCutter {
  private held: StoredRecord[] = [];

  /**
   * @param position first offset not dealt with; undefined where the group has read nothing yet.
   * @param planned the range that was planned to begin at `position`.
   */
  constructor(
    private position: bigint | undefined,
    private planned: RangePlan | undefined,
    private readonly limits: RangeLimits,
  ) {}

  /** The offset whose record should come next. */
  get next(): bigint | undefined {
    const last = this.held.at(-1);
    return last === undefined ? this.position : last.offset + 1n;
  }

  /** The first offset that no finished range holds. */
  get start(): bigint | undefined {
    return this.position;
  }

  /** Takes records in order; those it already has are passed over. */
  add(records: readonly StoredRecord[]): void {
    for (const record of records) {
      const { next } = this;
      if (next !== undefined && record.offset < next) continue;
      this.position ??= record.offset;
      this.held.push(record);
    }
  }

  /**
   * The next range, or undefined when more records are needed first.
   * @param endOffset offset after the last record that the partition holds: a plan beyond it can never be met.
   */
  cut(endOffset: bigint): CutRange | undefined {
    if (this.held.length === 0 || this.position === undefined) return undefined;
    const planned =
      this.planned === undefined || this.planned.through < this.position ? undefined : this.planned;
    if (planned === undefined) return this.take(this.limitedCount());
    const beyond = this.held.findIndex(({ offset }) => offset > planned.through);
    if (beyond === 0) {
      // Nothing of the planned range is left in the log.
      this.planned = undefined;
      return this.take(this.limitedCount());
    }
    if (beyond > 0) return this.take(beyond, planned);
    const reached = this.held.at(-1)?.offset === planned.through || endOffset <= planned.through;
    return reached ? this.take(this.held.length, planned) : undefined;
  }

  /** To be called when a range is dealt with. */
  finish({ through }: CutRange): void {
    this.position = through + 1n;
    this.planned = undefined;
    const rest = this.held.findIndex(({ offset }) => offset > through);
    this.held = rest === -1 ? [] : this.held.slice(rest);
  }

  private limitedCount(): number {
    let bytes = 0;
    let count = 0;
    for (const { value } of this.held) {
      if (count > 0 && (bytes + value.byteLength > this.limits.maxBytes || count >= this.limits.maxRecords))
        break;
      bytes += value.byteLength;
      count += 1;
    }
    return count;
  }

  private take(count: number, planned?: RangePlan): CutRange {
    const records = this.held.slice(0, count);
    const first = this.position ?? 0n;
    return {
      first,
      through: planned?.through ?? records.at(-1)?.offset ?? first,
      plannedMs: planned?.atMs,
      records,
    };
  }
}
