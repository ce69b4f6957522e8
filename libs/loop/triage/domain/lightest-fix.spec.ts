import fc from 'fast-check';
import { FIX_TESTS, FIXES, recommendFix, type FixEvidence } from './lightest-fix.js';

const measured: FixEvidence = {
  validFormatRate: 0.95,
  verifierUsable: true,
  profileEnough: true,
  meanPass: 0.4,
  signal: 0.5,
  passAt8Upper: 0.9,
};

const share = fc.option(
  fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0.15, 0.3, 0.8, 0.9, NaN)),
  { nil: null },
);
const asked = fc.option(fc.boolean(), { nil: null });
const evidence: fc.Arbitrary<FixEvidence> = fc.record({
  factHelps: asked,
  toolAtFault: asked,
  validFormatRate: share,
  promptHelps: asked,
  promptFailedGate: fc.boolean(),
  verifierUsable: fc.boolean(),
  preferencePairs: fc.constantFrom(0, 1, 5_000),
  demonstrations: fc.constantFrom(0, 1, 500),
  profileEnough: fc.boolean(),
  meanPass: share,
  signal: share,
  passAt8Upper: share,
  longOrStateful: fc.boolean(),
});

/** The table as design states it, each row by itself: what must hold where its rule answers. */
const HOLDS: Record<number, (given: FixEvidence) => boolean> = {
  1: ({ factHelps }) => factHelps === true,
  2: ({ toolAtFault }) => toolAtFault === true,
  3: ({ validFormatRate, promptHelps }) => (validFormatRate ?? 1) < 0.8 || promptHelps === true,
  4: ({ verifierUsable, preferencePairs = 0 }) => !verifierUsable && preferencePairs > 0,
  5: ({ verifierUsable }) => !verifierUsable,
  6: ({ profileEnough, meanPass }) => profileEnough && (meanPass ?? 0) > 0.9,
  7: ({ profileEnough, signal }) => profileEnough && (signal ?? 0) >= 0.3,
  8: ({ profileEnough, passAt8Upper }) => profileEnough && (passAt8Upper ?? 1) < 0.15,
  9: () => true,
};

describe('the lightest fix', () => {
  it('gives each point of the grid one answer, the first row of the table that holds', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const { rule, fix, because } = recommendFix(given);
        const first = [1, 2, 3, 4, 5, 6, 7, 8, 9].find((row) => HOLDS[row]?.(given));
        expect(rule).toBe(first);
        expect(FIXES).toContain(fix);
        expect(because).not.toMatch(/NaN|undefined|null/);
        expect(recommendFix(given)).toEqual(recommendFix({ ...given }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('lists each test that was not asked, with its reason, and none that was', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const listed = recommendFix(given).notApplicable;
        for (const test of FIX_TESTS) {
          const value = given[test];
          const ofProfile = ['meanPass', 'signal', 'passAt8Upper'].includes(test);
          const missing =
            value === null ||
            value === undefined ||
            Number.isNaN(value) ||
            (ofProfile && !given.profileEnough);
          expect(listed.some((each) => each.test === test && each.reason !== '')).toBe(missing);
        }
      }),
    );
  });

  it('names reinforcement learning by rule 7 and says what it could not ask', () => {
    const reasons = { factHelps: 'the policy has no context beside the request' };
    expect(recommendFix({ ...measured, reasons })).toMatchObject({
      rule: 7,
      fix: 'rlvr',
      notApplicable: [
        { test: 'factHelps', reason: reasons.factHelps },
        { test: 'toolAtFault' },
        { test: 'promptHelps' },
      ],
    });
    expect(recommendFix({ ...measured, longOrStateful: true })).toMatchObject({
      rule: 7,
      fix: 'environment_rl',
    });
  });

  it('answers row by row of the table', () => {
    const answer = (given: Partial<FixEvidence>) => recommendFix({ ...measured, ...given }).fix;
    expect(answer({ factHelps: true, toolAtFault: true })).toBe('data_or_rag');
    expect(answer({ toolAtFault: true, validFormatRate: 0.1 })).toBe('tool_change');
    expect(answer({ validFormatRate: 0.79 })).toBe('prompt_or_constrained_decoding');
    expect(answer({ validFormatRate: 0.79, promptFailedGate: true, demonstrations: 9 })).toBe(
      'sft_on_demonstrations',
    );
    expect(answer({ verifierUsable: false, preferencePairs: 10 })).toBe('dpo');
    expect(answer({ verifierUsable: false, preferencePairs: 1_000 })).toBe('rlhf');
    expect(answer({ verifierUsable: false, demonstrations: 10 })).toBe('sft_on_demonstrations');
    expect(answer({ verifierUsable: false })).toBe('admit_verifier');
    expect(answer({ meanPass: 0.91 })).toBe('harder_tasks');
    expect(answer({ signal: 0.29, passAt8Upper: 0.14 })).toBe('sft_or_easier_tasks');
    expect(answer({ signal: 0.29 })).toBe('park_and_measure_again');
    expect(answer({ profileEnough: false })).toBe('park_and_measure_again');
  });
});
