import { seededRng } from '#kernel/random';
import { drawDemonstration } from './demonstrations.js';
import { FAMILIES } from './families.js';
import { FRAMES, framesOf } from './frames.js';
import { drawName, miscopy, poolOf, type NamePool } from './names.js';
import { drawTasks } from './tasks.js';

const words = (text: string): string[] =>
  text
    .replace(/\{.\}/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');

const heldoutTasks = drawTasks({ split: 'heldout', count: 2_000, seed: 5 });
const trainTasks = drawTasks({ split: 'train', count: 2_000, seed: 6 });
const demonstrations = Array.from({ length: 3_000 }, (_, i) => drawDemonstration(seededRng(i)));

/** Names a task's tables hold, the one in the sentence included. */
function namesIn(state: Record<string, unknown>): string[] {
  const rows = Object.values(state).flatMap((table) =>
    Array.isArray(table) ? (table as { name?: string }[]) : [],
  );
  return rows.flatMap((row) => (row.name === undefined ? [] : [row.name]));
}

describe('the sentence grammar', () => {
  it('has at least 24 training, 6 validation and 8 held-out frames in every family', () => {
    for (const family of FAMILIES) {
      expect(framesOf(family, 'train').length).toBeGreaterThanOrEqual(24);
      expect(framesOf(family, 'validation').length).toBeGreaterThanOrEqual(6);
      expect(framesOf(family, 'heldout').length).toBeGreaterThanOrEqual(8);
    }
  });

  it('has no two frames that read the same, in any split', () => {
    const templates = FRAMES.map((frame) => `${frame.family} ${frame.template}`);
    expect(new Set(templates).size).toBe(templates.length);
  });

  it('never lets a held-out verb–object pair occur in another split', () => {
    const heldout = new Set(FRAMES.filter((frame) => frame.split === 'heldout').map((frame) => frame.pair));
    const others = FRAMES.filter((frame) => frame.split !== 'heldout').map((frame) => frame.pair);
    expect(others.filter((pair) => heldout.has(pair))).toEqual([]);
  });

  it('uses no word in a held-out sentence that training sentences do not have', () => {
    const known = new Set(
      [...trainTasks, ...demonstrations.map(({ task }) => task)].flatMap((task) =>
        words(task.messages[0]?.content ?? ''),
      ),
    );
    const unseen = heldoutTasks.flatMap((task) =>
      words(task.messages[0]?.content ?? '').filter((word) => !known.has(word) && poolOf(word) !== 'heldout'),
    );
    expect(unseen).toEqual([]);
  });
});

describe('the seal between splits', () => {
  it('keeps held-out frames out of training tasks and demonstrations', () => {
    const heldout = new Set(heldoutTasks.map((task) => task.lineageKey));
    const seen = [...trainTasks, ...demonstrations.map(({ task }) => task)].map((task) => task.lineageKey);
    expect(heldout.size).toBe(140);
    expect(seen.filter((key) => heldout.has(key))).toEqual([]);
  });

  it('keeps held-out names out of training tasks and demonstrations, texts included', () => {
    const heldout = new Set(heldoutTasks.flatMap((task) => namesIn(task.state)));
    const seen = [
      ...trainTasks.flatMap((task) => namesIn(task.state)),
      ...demonstrations.flatMap(({ task, segments }) => [
        ...namesIn(task.state),
        ...(segments
          .filter((segment) => !segment.learn)
          .map((segment) => segment.text)
          .join(' ')
          .match(/[A-Z][a-z]{2,}/g) ?? []),
      ]),
    ];
    expect(heldout.size).toBeGreaterThan(1_000);
    expect(seen.filter((name) => heldout.has(name))).toEqual([]);
  });

  it('never draws a name of another pool, whatever the seed', () => {
    const pools: NamePool[] = ['demonstration', 'train', 'validation', 'heldout'];
    for (const pool of pools) {
      for (let seed = 0; seed < 200; seed++) expect(poolOf(drawName(seededRng(seed), pool))).toBe(pool);
    }
  });

  it('draws names anew with the seed', () => {
    const names = (seed: number): string[] => [
      ...new Set(drawTasks({ split: 'heldout', count: 100, seed }).flatMap((task) => namesIn(task.state))),
    ];
    const first = new Set(names(1));
    expect(names(2).filter((name) => first.has(name)).length).toBeLessThan(first.size / 3);
  });
});

describe('miscopying a name', () => {
  it('always gives another name of the same pool', () => {
    const rng = seededRng(3);
    for (let i = 0; i < 500; i++) {
      const name = drawName(rng, 'demonstration');
      const wrong = miscopy(rng, name);
      expect(wrong).not.toBe(name);
      expect(poolOf(wrong)).toBe('demonstration');
    }
  });
});
