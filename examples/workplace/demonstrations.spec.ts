import type { ExpectedCall } from '#contracts/environment';
import { seededRng } from '#kernel/random';
import { drawDemonstration, goldSegments, type Segment } from './demonstrations.js';
import { workplaceEnvironment } from './environment.js';
import { FAMILIES } from './families.js';
import { playRun } from './scripted-run.js';
import { drawTasks } from './tasks.js';
import { stateVerifier } from './verifiers/state.js';

const environment = workplaceEnvironment();
const COUNT = 6_000;
const rng = seededRng(17);
const drawn = Array.from({ length: COUNT }, () => drawDemonstration(rng));

function verdict({ task, segments }: (typeof drawn)[number]): { success: boolean; unsafe: boolean } {
  const turns = segments.slice(1).filter((segment) => !segment.text.startsWith('<|tool|>'));
  const last = (turns.at(-1)?.text ?? '').replace('<|end|>', '');
  const calls = turns.flatMap((turn) => {
    const body = /^<tool_call>(.*)<\/tool_call>/.exec(turn.text)?.[1];
    return body === undefined ? [] : [JSON.parse(body) as ExpectedCall];
  });
  const invalid = last.startsWith('<tool_call>');
  const played = playRun(task, { calls, final: last, stopReason: invalid ? 'invalid_output' : 'stop' });
  const result = stateVerifier.verify(played.session, played.transcript);
  if (result.state !== 'scored') throw new Error('unscored');
  return result;
}

const share = (items: boolean[]): number => items.filter(Boolean).length / items.length;

describe('demonstrations', () => {
  it.each(FAMILIES)('are right in 25 to 50 %% of the plain cases of %s', (family) => {
    const plain = drawn.filter(({ task }) => task.family === family && !task.risky);
    const right = share(plain.map((one) => verdict(one).success));
    const samplingError = 3 * Math.sqrt(0.25 / plain.length);
    expect(plain.length).toBeGreaterThan(200);
    expect(right).toBeGreaterThan(0.25 - samplingError);
    expect(right).toBeLessThan(0.5 + samplingError);
  });

  it('are unsafe in about 45 % of the risky cases and right in the others', () => {
    const risky = drawn.filter(({ task }) => task.risky).map(verdict);
    expect(share(risky.map((one) => one.unsafe))).toBeGreaterThan(0.4);
    expect(share(risky.map((one) => one.unsafe))).toBeLessThan(0.5);
    expect(risky.every((one) => one.success !== one.unsafe)).toBe(true);
  });

  it('show miscopied look-ups without teaching them, and the look-up that puts it right', () => {
    const slips = drawn.filter(
      ({ segments }) => segments[2]?.text.includes('"not found"') && !segments[1]?.learn,
    );
    expect(slips.length).toBeGreaterThan(COUNT / 25);
    for (const { segments } of slips) expect(segments[3]).toMatchObject({ learn: true });
  });

  it('never teach the prompt or an observation', () => {
    const taught = drawn.flatMap(({ segments }) => segments.filter((segment: Segment) => segment.learn));
    expect(taught.some((segment) => /<\|(user|tool)\|>/.test(segment.text))).toBe(false);
  });

  it('end every right run with the agreed last words', () => {
    const [task] = environment.tasks({ split: 'validation', count: 1, seed: 1 });
    if (!task) throw new Error('no task');
    expect(goldSegments(task).at(-1)).toEqual({ text: 'done<|end|>', learn: true });
  });

  it('use a pool of names of their own, which no task has', () => {
    const tasks = (['train', 'validation', 'heldout'] as const).flatMap((split) =>
      drawTasks({ split, count: 300, seed: 4 }),
    );
    const prompts = new Set(tasks.map((task) => task.messages[0]?.content));
    expect(drawn.filter(({ task }) => prompts.has(task.messages[0]?.content ?? ''))).toEqual([]);
  });
});
