import { CANDIDATE_STATES, mayMove } from './states.js';

describe('the life of a candidate', () => {
  it('never lets an ungated or blocked candidate serve', () => {
    for (const from of ['candidate', 'blocked'] as const) {
      expect(mayMove(from, 'production')).toBe(false);
      expect(mayMove(from, 'canary')).toBe(false);
    }
  });

  it('lets every version that ever served be restored', () => {
    expect(mayMove('retired', 'production')).toBe(true);
    expect(mayMove('rolled_back', 'production')).toBe(true);
  });

  it('never moves a candidate back to before its gate', () => {
    for (const from of CANDIDATE_STATES) {
      expect(mayMove(from, 'candidate')).toBe(false);
      if (from !== 'candidate') expect(mayMove(from, 'gated')).toBe(false);
    }
  });
});
