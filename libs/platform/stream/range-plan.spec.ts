import fc from 'fast-check';

import type { StoredRecord } from './event-log.js';
import { decodeNote, encodeNote, RangeCutter, type RangePlan } from './range-plan.js';

const record = (offset: number, bytes = 1): StoredRecord => ({
  offset: BigInt(offset),
  key: 'k',
  value: new Uint8Array(bytes),
  timestampMs: 0,
});
const offsets = (from: number, to: number): StoredRecord[] =>
  Array.from({ length: to - from }, (_, index) => record(from + index));
const plan = (through: bigint): RangePlan => ({ through, atMs: 5 });
const limits = { maxRecords: 10, maxBytes: 1_000 };

/** Adds `fetches` one by one, as a consumer does, and returns the bounds of every range. */
function boundsOf(cutter: RangeCutter, fetches: StoredRecord[][], endOffset: bigint): string[] {
  const bounds: string[] = [];
  for (const fetch of fetches) {
    cutter.add(fetch);
    for (let range = cutter.cut(endOffset); range !== undefined; range = cutter.cut(endOffset)) {
      bounds.push(`${range.first}-${range.through} (${range.records.length})`);
      cutter.finish(range);
    }
  }
  return bounds;
}

describe('ranges of a partition', () => {
  it('hold no more records and bytes than allowed, and a larger record goes alone', () => {
    const cutter = new RangeCutter(undefined, undefined, { maxRecords: 3, maxBytes: 10 });
    const records = [...offsets(5, 9), record(9, 50), record(10, 9), record(11, 2)];
    expect(boundsOf(cutter, [records], 12n)).toEqual([
      '5-7 (3)',
      '8-8 (1)',
      '9-9 (1)',
      '10-10 (1)',
      '11-11 (1)',
    ]);
  });

  it('are cut at their planned bounds whatever is fetched after a crash', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }), (sizes) => {
        const fetches: StoredRecord[][] = [];
        let from = 100;
        for (const size of [...sizes, 40]) {
          fetches.push(offsets(from, from + size));
          from += size;
        }
        const bounds = boundsOf(new RangeCutter(100n, plan(124n), limits), fetches, BigInt(from));
        expect(bounds[0]).toBe('100-124 (25)');
      }),
    );
  });

  it('pass over records that were given before', () => {
    const cutter = new RangeCutter(3n, undefined, limits);
    expect(boundsOf(cutter, [offsets(0, 5), offsets(2, 6)], 6n)).toEqual(['3-4 (2)', '5-5 (1)']);
  });

  it('take what is left when the log no longer reaches as far as the plan, or begins behind it', () => {
    expect(boundsOf(new RangeCutter(0n, plan(50n), limits), [offsets(0, 4)], 4n)).toEqual(['0-50 (4)']);
    expect(boundsOf(new RangeCutter(0n, plan(3n), limits), [offsets(7, 9)], 9n)).toEqual(['0-8 (2)']);
  });

  it('keep their plan as a note that other notes are not taken for', () => {
    for (const note of [{ plan: plan(12n), handledMs: 7 }, { plan: plan(0n) }, { handledMs: 9 }, {}])
      expect(decodeNote(encodeNote(note))).toEqual({ plan: undefined, handledMs: undefined, ...note });
    for (const note of ['', null, undefined, 'something', 'through=x', 'through=5'])
      expect(decodeNote(note).plan).toBeUndefined();
  });
});
