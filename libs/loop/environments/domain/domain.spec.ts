import { readFileSync } from 'node:fs';
import { workplaceEnvironment } from '#examples/workplace';
import type { EnvironmentDefinition, RolloutTranscript } from '#contracts/environment';
import { admitVerifier, ScoredFile } from './admission.js';
import { nextActionEnvironment, type NextActionCase } from './next-action.js';
import { transcriptOf } from './responses.js';
import { interleave } from './schedule.js';
import { proveEnvironment } from './self-proof.js';
import { looksLikeToolCall } from './tool-call-text.js';
import { judge, verifierOf } from './verdict.js';

const workplace = workplaceEnvironment();

describe('self-proof', () => {
  it('passes the demo: right answers pass, empty runs do not, in every split and slice', () => {
    const proof = proveEnvironment(workplace);
    expect(proof).toMatchObject({ ok: true, problems: [] });
    expect(proof.tasks).toBe(3 * workplace.slices.length * 2);
    expect(proof.goldPasses.state).toBe(proof.tasks);
  });

  const withState = (over: Partial<EnvironmentDefinition['verifiers'][string]>): EnvironmentDefinition => ({
    ...workplace,
    verifiers: { ...workplace.verifiers, state: { ...verifierOf(workplace, 'state'), ...over } },
  });
  const scored = { state: 'scored', unsafe: false, critical: false, components: {} } as const;

  it.each<[string, EnvironmentDefinition, RegExp]>([
    [
      'a verifier that passes everything',
      withState({ verify: () => ({ ...scored, reward: 1, success: true }) }),
      /passes a run that did nothing/,
    ],
    [
      'a verifier that passes nothing',
      withState({ verify: () => ({ ...scored, reward: 0, success: false }) }),
      /does not pass the right answer/,
    ],
    [
      'a verifier that breaks',
      withState({
        verify: () => {
          throw new Error('boom');
        },
      }),
      /it threw \(boom\)/,
    ],
    ['an independent verifier of the same kind', withState({ kind: 'call-match' }), /same kind/],
    ['a verifier that is not there', { ...workplace, defaultVerifier: 'none' }, /named but not there/],
    [
      'a tool that the protocol would shadow',
      {
        ...workplace,
        tools: [...workplace.tools, { type: 'function', function: { name: 'verify', parameters: {} } }],
      },
      /taken by the protocol/,
    ],
    [
      'a lineage in two splits',
      {
        ...workplace,
        tasks: (query) =>
          workplace.tasks({ ...query, split: 'train' }).map((t) => ({ ...t, split: query.split })),
      },
      /is in train and in validation/,
    ],
  ])('refuses %s', (_what, definition, problem) => {
    const proof = proveEnvironment(definition);
    expect(proof.ok).toBe(false);
    expect(proof.problems.join('\n')).toMatch(problem);
  });
});

describe('admission of a verifier', () => {
  const file = ScoredFile.parse(
    JSON.parse(
      readFileSync(
        new URL('../../../../examples/workplace/verifier-state.scored.json', import.meta.url),
        'utf8',
      ),
    ),
  );

  it('admits the verifier of the demo by its hand-scored file', () => {
    const report = admitVerifier(workplace, file);
    expect(report).toMatchObject({ verifier: 'state', admitted: true, problems: [] });
    expect(report.passed).toBeGreaterThanOrEqual(50);
    expect(report.failed).toBeGreaterThanOrEqual(50);
    expect(report.falsePasses.share.upper).toBeGreaterThan(report.falsePasses.share.estimate);
  });

  it('refuses it when people disagree more often, names the cases, and says how many were wrong', () => {
    const passes = file.outputs.filter((output) => output.human === 'pass');
    const wronged = new Set(passes.slice(0, 2).map((output) => output.task.id));
    const outputs = file.outputs.map((o) => (wronged.has(o.task.id) ? { ...o, human: 'fail' as const } : o));
    const report = admitVerifier(workplace, { ...file, outputs });
    expect(report.admitted).toBe(false);
    expect(report.falsePasses.taskIds).toEqual(expect.arrayContaining([...wronged]));
    expect(report.problems.join()).toMatch(/false passes, at most 1/);
  });

  it('refuses too few outputs and another version', () => {
    const report = admitVerifier(workplace, { ...file, version: '0', outputs: file.outputs.slice(0, 10) });
    expect(report.problems.join('\n')).toMatch(/scored for version 0/);
    expect(report.problems.join('\n')).toMatch(/more are needed/);
  });
});

describe('Responses output as a transcript', () => {
  const prompt = [{ role: 'user' as const, content: 'go' }];
  const call = (id: string) => ({ type: 'function_call' as const, call_id: id, name: 'f', arguments: '{}' });
  const output = (id: string) => ({ type: 'function_call_output' as const, call_id: id, output: 'ok' });

  it('keeps turns apart, and parallel calls in one', () => {
    const { messages, stopReason } = transcriptOf(prompt, [
      call('a'),
      call('b'),
      output('a'),
      output('b'),
      call('c'),
      output('c'),
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] },
    ]);
    expect(messages.map((m) => `${m.role}${m.tool_calls?.length ?? ''}`)).toEqual([
      'user',
      'assistant2',
      'tool',
      'tool',
      'assistant1',
      'tool',
      'assistant',
    ]);
    expect(stopReason).toBe('stop');
  });

  it('never changes the prompt, even when it ends with the assistant', () => {
    const prefix = [...prompt, { role: 'assistant' as const, content: 'hm' }];
    const before = structuredClone(prefix);
    expect(transcriptOf(prefix, [call('a')]).messages).toHaveLength(3);
    expect(prefix).toEqual(before);
  });

  it('ends as step limit, length or invalid output where nothing was said to the user', () => {
    const says = (content: string) => [{ type: 'message' as const, role: 'assistant' as const, content }];
    expect(transcriptOf(prompt, [call('a'), output('a')]).stopReason).toBe('step_limit');
    expect(transcriptOf(prompt, says('cut of'), 'max_output_tokens').stopReason).toBe('length');
    expect(transcriptOf(prompt, says('<tool_call>{"name')).stopReason).toBe('invalid_output');
    expect(transcriptOf(prompt, says('{"name": "f", "arguments": {')).stopReason).toBe('invalid_output');
  });

  it('takes ordinary text with braces for words', () => {
    expect(looksLikeToolCall('the set {a, b} is done')).toBe(false);
    expect(looksLikeToolCall(null)).toBe(false);
  });
});

describe('the order of a measurement', () => {
  it('holds every run once, whatever the number of arms', () => {
    for (const arms of [
      ['baseline'],
      ['baseline', 'candidate'],
      ['baseline', 'candidate', 'anchor'],
    ] as const) {
      const plan = interleave(['a', 'b', 'c'], arms, { repeats: 2, seed: 7 });
      expect(new Set(plan.map((run) => `${run.caseIndex}/${run.repeat}/${run.arm}`)).size).toBe(plan.length);
      expect(plan).toHaveLength(3 * 2 * arms.length);
      const firsts = plan.filter((_, i) => i % arms.length === 0).map((run) => run.arm);
      expect(new Set(firsts).size).toBe(arms.length);
    }
  });
});

describe('next-action environments', () => {
  const tools = ['find', 'wipe'].map((name) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object' } },
  }));
  const frozen = (checker: NextActionCase['frozen']['checker'], lineageKey: string): NextActionCase => ({
    split: 'validation',
    frozen: {
      trajectoryId: lineageKey,
      lineageKey,
      family: 'wrong_arguments',
      slice: checker.type,
      prefix: [{ role: 'user', content: 'find Ann' }],
      tools,
      checker,
      status: 'ready',
      note: '',
    },
  });
  const definition = nextActionEnvironment('x', [
    frozen({ type: 'expected_call', call: { name: 'find', arguments: { name: 'Ann', n: 1 } } }, 'a'),
    frozen({ type: 'forbidden', name: 'wipe', arguments: { id: '1' } }, 'b'),
    frozen({ type: 'schema' }, 'c'),
  ]);

  const verdicts = (slice: string, name: string, args: string) => {
    const [task] = definition.tasks({ split: 'validation', count: 9, seed: 1, slices: [slice] });
    if (!task) throw new Error('no task');
    const session = definition.open(task);
    const parsed = JSON.parse(args) as Record<string, unknown>;
    session.callTool(name, parsed);
    const transcript: RolloutTranscript = {
      messages: [
        ...task.messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: '1', type: 'function', function: { name, arguments: args } }],
        },
      ],
      stopReason: 'step_limit',
    };
    return Object.values(definition.verifiers).map((verifier) => judge(verifier, session, transcript).result);
  };

  it('prove themselves: the expected call passes, nothing does not', () => {
    expect(proveEnvironment(definition)).toMatchObject({ ok: true, tasks: 3 });
    expect(definition.fidelity).toBe('next-action');
  });

  it('compare name and arguments as JSON, in whatever order they are written', () => {
    for (const result of verdicts('expected_call', 'find', '{"n": 1, "name": "Ann"}'))
      expect(result).toMatchObject({ success: true });
    for (const result of verdicts('expected_call', 'find', '{"name": "Bob", "n": 1}')) {
      expect(result).toMatchObject({ success: false, components: { right_tool: 1, right_arguments: 0 } });
    }
    for (const result of verdicts('expected_call', 'wipe', '{}')) {
      expect(result).toMatchObject({ success: false, components: { right_tool: 0, right_arguments: null } });
    }
  });

  it('call a forbidden act unsafe, and leave others alone', () => {
    for (const result of verdicts('forbidden', 'wipe', '{"id": "1"}'))
      expect(result).toMatchObject({ success: false, unsafe: true });
    for (const result of verdicts('forbidden', 'find', '{}'))
      expect(result).toMatchObject({ success: true, unsafe: false });
  });

  it('fail a call of a tool that was not offered', () => {
    for (const result of verdicts('schema', 'nope', '{}')) expect(result).toMatchObject({ success: false });
  });
});
