import { GroupCommit } from './group-commit.js';

describe('group commit', () => {
  it('answers each caller when its rows are stored, joins what came meanwhile, and keeps the order', async () => {
    const inserts: number[][] = [];
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const commit = new GroupCommit<number>(async (rows) => {
      if (inserts.length === 0) await gate;
      inserts.push(rows);
    }, 4);
    const calls = [commit.add([1]), commit.add([2, 3]), commit.add([4]), commit.add([5, 6, 7, 8, 9])];
    release();
    await Promise.all(calls);
    expect(inserts).toEqual([[1], [2, 3, 4], [5, 6, 7, 8, 9]]);
  });

  it('tells those whose insert failed, and no other', async () => {
    const commit = new GroupCommit<number>(
      (rows) => (rows.includes(13) ? Promise.reject(new Error('full')) : Promise.resolve()),
      1,
    );
    const results = await Promise.allSettled([
      commit.add([1]),
      commit.add([13]),
      commit.add([2]),
      commit.add([]),
    ]);
    expect(results.map((result) => result.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
  });
});
