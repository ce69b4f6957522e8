import fc from 'fast-check';
import { FAILURE_CATEGORIES } from '#contracts/failure';
import type { Step, Trajectory } from '#contracts/trajectory';
import { runOf, TOOLS } from '../testing/runs.js';
import { diagnose } from './diagnose.js';
import { RULES } from './rules/index.js';
import { argumentProblem } from './schema-check.js';

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '{"id":',
    '<tool_call>',
    'Error: x',
    '{"error":{}}',
    '__proto__',
    '\u0000\ud800',
    'sorry',
  ),
  fc.json({ maxDepth: 4 }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const call = fc.record({
  id: fc.constantFrom('', 'a', 'b'),
  name: fc.oneof(fc.constantFrom('find_event', 'cancel_event', 'forward_email', 'constructor'), odd),
  arguments: odd,
});

const step: fc.Arbitrary<Step> = fc
  .record({
    kind: fc.constantFrom('message', 'model_call', 'tool_call', 'observation', 'intervention'),
    role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
    content: fc.option(odd, { nil: null }),
    toolCalls: maybe(fc.array(call, { maxLength: 3 })),
    toolName: maybe(odd),
    toolCallId: maybe(fc.constantFrom('', 'a', 'b')),
    arguments: maybe(odd),
    error: maybe(odd),
    finishReasons: maybe(fc.array(odd, { maxLength: 2 })),
  })
  .map(
    (given) =>
      Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as unknown as Step,
  );

const trajectory: fc.Arbitrary<Trajectory> = fc
  .record({
    steps: fc.array(step, { maxLength: 12 }),
    outcome: fc.constantFrom('success', 'failure', 'unknown'),
    tools: fc.constantFrom(TOOLS, []),
    metadata: fc.dictionary(fc.constantFrom('stop_reason', 'label.x', 'y'), odd),
  })
  .map(({ steps, ...given }) =>
    runOf([], {
      ...given,
      steps: steps.map((each, index) => ({ ...each, index, stepId: `s${index}` })),
    }),
  );

describe('diagnosis of any run', () => {
  it('never breaks a rule, gives unique ids, and exactly one root cause where the run failed', () => {
    fc.assert(
      fc.property(trajectory, (run) => {
        const { failures, brokenRules } = diagnose(run);
        expect(brokenRules).toEqual([]);
        const roots = failures.filter(({ rootCause }) => rootCause);
        expect(roots.length).toBeLessThanOrEqual(1);
        if (run.outcome.value === 'failure') expect(roots).toHaveLength(1);
        expect(new Set(failures.map(({ id }) => id)).size).toBe(failures.length);
        for (const { category, confidence, evidence } of failures) {
          expect(FAILURE_CATEGORIES).toContain(category);
          expect(confidence > 0 && confidence <= 1).toBe(true);
          expect(evidence.length).toBeLessThanOrEqual(240);
          expect(evidence.isWellFormed()).toBe(true);
        }
        expect(diagnose(structuredClone(run)).failures).toEqual(failures);
      }),
      { numRuns: 300 },
    );
  });

  it('does not depend on the order of the rules', () => {
    fc.assert(
      fc.property(trajectory, (run) => {
        const once = diagnose(run).failures;
        expect(diagnose(run, {}, [...RULES].reverse()).failures).toEqual(once);
      }),
      { numRuns: 100 },
    );
  });

  it('holds out against size: many calls, long texts, deep arguments', () => {
    const deep = '{"a":'.repeat(50_000) + '1' + '}'.repeat(50_000);
    const long = 'a '.repeat(500_000);
    const many = Array.from({ length: 3_000 }, (_, i) => ({
      call: ['find_event', { name: `name${i}x${i}` }] as [string, Record<string, unknown>],
      result: '{"error": "not found"}',
    }));
    const run = runOf([
      { user: long },
      { call: ['find_event', deep], result: long },
      ...many,
      { say: 'sorry' },
    ]);
    const { failures, brokenRules } = diagnose(run);
    expect(brokenRules).toEqual([]);
    expect(failures.filter(({ rootCause }) => rootCause)).toHaveLength(1);
    expect(failures.length).toBeLessThan(1_000);
  });

  it('takes any schema: one that is no schema, refers to nothing or nests without end checks nothing', () => {
    const endless = Array.from({ length: 5_000 }).reduce<Record<string, unknown>>(
      (inner) => ({ properties: { a: inner } }),
      {},
    );
    const schemas = [
      { type: 'nonsense' },
      { $ref: '#/nowhere' },
      { $ref: 'http://example.org/x' },
      endless,
      { pattern: '(a+)+$' },
    ];
    for (const parameters of schemas) {
      expect(() =>
        argumentProblem({ type: 'function', function: { name: 'x', parameters } }, { a: 'a'.repeat(50) }),
      ).not.toThrow();
    }
  });
});
