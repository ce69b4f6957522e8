import { reopens } from './reopen.js';

const fix = { fixedAtNs: 1_000n, policiesBefore: ['base'] };
const failure = { policy: 'adapter', startedAtNs: 2_000n, rootCause: true };

describe('return of a fixed failure', () => {
  it('reopens by a run after the fix under a policy that is not from before', () => {
    expect(reopens(fix, failure)).toBe(true);
    expect(reopens(fix, { ...failure, policy: null })).toBe(true);
  });

  it('is none for a run from before, for the old policy, or for a mere symptom', () => {
    expect(reopens(fix, { ...failure, startedAtNs: 999n })).toBe(false);
    expect(reopens(fix, { ...failure, policy: 'base' })).toBe(false);
    expect(reopens(fix, { ...failure, rootCause: false })).toBe(false);
  });
});
