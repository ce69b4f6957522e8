import fc from 'fast-check';
import type { Step, Trajectory } from '#contracts/trajectory';
import type { Rollout } from '#contracts/rollout';
import { freezeCase, type FrozenCase } from './freeze.js';
import { latencySamples, pairedCases } from './paired-cases.js';
import { clusteredShare, measureBaseline } from './rates.js';
import { profileRewards } from './reward-profile.js';
import { assertDisjoint, mergedSplit, overlapOf, splitOf } from './split.js';
import { slicesOfKinds, taskKindOf } from './task-kind.js';

function rollout(over: Partial<Rollout> & { success?: boolean } = {}): Rollout {
  const { success = true, ...rest } = over;
  return {
    runId: 'r',
    arm: 'baseline',
    caseId: 'c',
    repeat: 0,
    seed: 1,
    taskId: 't',
    lineageKey: 'l',
    family: 'f',
    slice: 'f',
    state: 'scored',
    kind: null,
    reason: null,
    stopReason: 'stop',
    messages: [],
    modelCalls: [{ latencyMs: 10, promptTokens: 3, completionTokens: 4 }],
    toolCalls: ['x'],
    invalidOutput: false,
    toolError: false,
    paid: {
      state: 'scored',
      reward: Number(success),
      success,
      unsafe: false,
      critical: false,
      components: { safe: null },
    },
    independent: null,
    promptTokens: 3,
    completionTokens: 4,
    costUsd: 0.5,
    startedAtMs: 0,
    durationMs: 1,
    ...rest,
  };
}

describe('splits by lineage', () => {
  it('never change, and depend on the key', () => {
    const keys = Array.from({ length: 2000 }, (_, i) => `lineage-${i}`);
    const splits = keys.map((key) => splitOf(key, 'k1'));
    expect(keys.map((key) => splitOf(key, 'k1'))).toEqual(splits);
    expect(keys.map((key) => splitOf(key, 'k2'))).not.toEqual(splits);
    const heldout = splits.filter((split) => split === 'heldout').length;
    expect(heldout).toBeGreaterThan(580);
    expect(heldout).toBeLessThan(820);
    expect(splits.filter((split) => split === 'train').length).toBeGreaterThan(880);
  });

  it('held-out wins when groups merge', () => {
    expect(mergedSplit(['train', 'heldout', 'validation'])).toBe('heldout');
    expect(mergedSplit(['train', 'validation'])).toBe('validation');
  });

  it('any shared lineage is found, and none is invented', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (manifest, heldout) => {
        const shared = manifest.filter((key) => heldout.includes(key));
        expect(new Set(overlapOf(manifest, heldout))).toEqual(new Set(shared));
        if (shared.length === 0) assertDisjoint(manifest, heldout);
        else expect(() => assertDisjoint(manifest, heldout)).toThrow('both trained on and held out');
      }),
    );
  });
});

describe('rates', () => {
  it('are over the runs they apply to; masked runs are counted apart', () => {
    const paid = (components: Record<string, number | null>, unsafe = false): Rollout['paid'] => ({
      state: 'scored',
      reward: 0,
      success: false,
      unsafe,
      critical: false,
      components,
    });
    const rollouts = [
      rollout({ lineageKey: 'a', paid: paid({ right_tool: 1, right_arguments: 0, safe: 0 }, true) }),
      rollout({ lineageKey: 'b', paid: paid({ right_tool: 0, right_arguments: null, safe: null }) }),
      rollout({ lineageKey: 'c', state: 'masked', paid: null, kind: 'policy_http_503' }),
    ];
    const { rates, masked, success } = measureBaseline(rollouts);
    expect(masked).toEqual({ runs: 1, of: 3 });
    expect(rates.right_tool).toMatchObject({ runs: 2, groups: 2, value: { estimate: 0.5 } });
    expect(rates.right_arguments).toMatchObject({ runs: 1, value: { estimate: 0 } });
    expect(rates.unsafe_actions).toMatchObject({ runs: 1, value: { estimate: 1 } });
    expect(success.runs).toBe(2);
  });

  it('claim no certainty where all clusters agree', () => {
    const all = clusteredShare(Array.from({ length: 20 }, () => ({ sum: 5, size: 5 })));
    expect(all).toMatchObject({ estimate: 1, upper: 1 });
    expect(all.lower).toBeCloseTo(0.8316, 3);
  });

  it('repeats of one lineage do not narrow the interval as new lineages do', () => {
    const repeated = (groups: number, size: number) =>
      clusteredShare(Array.from({ length: groups }, (_, i) => ({ sum: i % 2 ? size : 0, size })));
    const width = ({ lower, upper }: { lower: number; upper: number }) => upper - lower;
    expect(width(repeated(10, 10))).toBeCloseTo(width(repeated(10, 1)), 6);
    expect(width(repeated(100, 1))).toBeLessThan(width(repeated(10, 10)));
  });
});

describe('the reward profile', () => {
  it('averages the signal over tasks: never-pass and always-pass tasks have none', () => {
    const passes = { never: 0, always: 16, half: 8 };
    const rollouts = Object.entries(passes).flatMap(([caseId, count]) =>
      Array.from({ length: 16 }, (_, repeat) => rollout({ caseId, repeat, success: repeat < count })),
    );
    const profile = profileRewards(rollouts, 8);
    expect(profile).toMatchObject({ tasks: 3, neverPass: ['never'], alwaysPass: ['always'], enough: false });
    expect(profile.passRate.estimate).toBeCloseTo(0.5);
    expect(profile.signal.estimate).toBeCloseTo((1 - 2 / 12870) / 3);
    expect(profile.passAt8.estimate).toBeCloseTo((0 + 1 + (1 - 1 / 12870)) / 3);
  });
});

describe('pairs for the gate', () => {
  it('stand by case and arm in order of repeat; a masked run keeps its place', () => {
    const facts = { lineageKey: 'l', family: 'f', slice: 'f', safetySlice: false, bucketIds: [], tools: [] };
    const rollouts = [
      rollout({ caseId: 'a', arm: 'candidate', repeat: 1, state: 'masked', paid: null }),
      rollout({ caseId: 'a', arm: 'candidate', repeat: 0 }),
      rollout({ caseId: 'a', arm: 'baseline', repeat: 0, success: false }),
    ];
    const pairs = pairedCases(
      [
        { ...facts, caseId: 'a' },
        { ...facts, caseId: 'b' },
      ],
      rollouts,
    );
    expect(pairs[0]?.runs.candidate.map((run) => run.state)).toEqual(['scored', 'masked']);
    expect(pairs[0]?.runs.baseline[0]).toMatchObject({ success: false, costUsd: 0.5 });
    expect(pairs[1]?.runs).toEqual({ baseline: [], candidate: [] });
    expect(latencySamples(rollouts).calls).toEqual({ baseline: 1, candidate: 2 });
  });
});

describe('freezing a case', () => {
  const step = (over: Partial<Step>): Step => ({
    stepId: `s${over.index ?? 0}`,
    index: 0,
    kind: 'message',
    role: 'user',
    content: null,
    ...over,
  });
  const call = (index: number, id: string, args: string, name = 'find') =>
    step({ index, role: 'assistant', kind: 'model_call', toolCalls: [{ id, name, arguments: args }] });
  const answer = (index: number, toolCallId: string, error?: string) =>
    step({ index, role: 'tool', kind: 'observation', toolCallId, content: 'x', ...(error ? { error } : {}) });
  const trajectory = (steps: Step[], metadata: Trajectory['metadata'] = {}): Trajectory => ({
    id: 'traj',
    projectId: 'p',
    externalId: 'e',
    revision: 1,
    source: 'tau-bench',
    agent: 'airline',
    agentRef: null,
    policy: null,
    sessionId: null,
    traceId: null,
    outcome: { value: 'failure', source: 'explicit', confidence: 1 },
    reward: 0,
    tools: [],
    steps,
    metadata,
    startedAtNs: '0',
    endedAtNs: '1',
    usage: { inputTokens: null, outputTokens: null },
    costUsd: null,
  });
  const asked = step({ content: 'cancel it', index: 0 });

  it('keeps what came before the faulty turn, and takes the later right call as the expected one', () => {
    const steps = [
      asked,
      call(1, 'a', '{"id":1}'),
      answer(2, 'a', 'not found'),
      call(3, 'b', '{"id":2}'),
      answer(4, 'b'),
    ];
    const frozen = freezeCase(trajectory(steps, { task_id: 7 }), {
      category: 'wrong_arguments',
      detail: null,
      stepIndex: 2,
    });
    expect(frozen).toMatchObject({
      prefix: [{ role: 'user', content: 'cancel it' }],
      checker: { type: 'expected_call', call: { name: 'find', arguments: { id: 2 } } },
      status: 'ready',
      lineageKey: 'tau-bench:task_id=7',
      tools: [{ function: { name: 'find' } }],
    });
  });

  it('is a draft where nobody knows what should have come', () => {
    const frozen = freezeCase(trajectory([asked, call(1, 'a', '{}'), answer(2, 'a')]), {
      category: 'wrong_answer',
      detail: null,
      stepIndex: 1,
    }) as FrozenCase;
    expect(frozen).toMatchObject({ status: 'draft', checker: { type: 'schema' } });
  });

  it('forbids the unsafe act itself', () => {
    const frozen = freezeCase(trajectory([asked, call(1, 'a', '{"id":1}', 'wipe')]), {
      category: 'unsafe_action',
      detail: 'destructive',
      stepIndex: 1,
    });
    expect(frozen).toMatchObject({
      slice: 'unsafe_action/destructive',
      checker: { type: 'forbidden', name: 'wipe', arguments: { id: 1 } },
      status: 'ready',
    });
  });

  it('says why where nothing can be frozen', () => {
    expect(freezeCase(trajectory([asked]), { category: 'loop', detail: null, stepIndex: 0 })).toHaveProperty(
      'reason',
    );
  });
});

describe('kinds of task', () => {
  it('are read from metadata under the prefix of the environment, and widened to a family where no slice is said', () => {
    const known = ['a', 'b/x', 'b/y', 'bc'];
    expect(taskKindOf({ 'workplace.family': 'b', task_id: '1' })).toEqual({ family: 'b', slice: null });
    expect(slicesOfKinds([{ family: 'b', slice: null }], known)).toEqual(['b/x', 'b/y']);
    expect(
      slicesOfKinds(
        [
          { family: 'b', slice: 'b/x' },
          { family: 'a', slice: null },
        ],
        known,
      ),
    ).toEqual(['a', 'b/x']);
    expect(slicesOfKinds([{ family: null, slice: null }], known)).toEqual([]);
  });
});
