import { EnvironmentTask, type EnvironmentTask as Task } from '#contracts/environment';
import { workplaceEnvironment } from './environment.js';
import { playRun, type ScriptedRun } from './scripted-run.js';

const environment = workplaceEnvironment();
const tasks = environment.tasks({ split: 'heldout', count: 400, seed: 21 });

function reward(name: string, task: Task, run: ScriptedRun): number {
  const { session, transcript } = playRun(task, run);
  const result = environment.verifiers[name]?.verify(session, transcript);
  if (result?.state !== 'scored') throw new Error(`${name} did not score`);
  return result.reward;
}

describe('the workplace environment proves itself', () => {
  it('lets the right run of every task pass, by the paid and by the independent verifier', () => {
    for (const task of tasks) {
      expect(reward('state', task, { calls: task.expected.calls })).toBe(1);
      expect(reward('calls', task, { calls: task.expected.calls })).toBe(1);
    }
  });

  it('lets no empty run pass, by any verifier', () => {
    for (const task of tasks) {
      for (const name of Object.keys(environment.verifiers))
        expect(reward(name, task, { calls: [] })).toBe(0);
    }
  });

  it('needs no more turns for a right run with one repeated look-up than it allows', () => {
    for (const task of tasks)
      expect(task.expected.calls.length + 2).toBeLessThanOrEqual(environment.maxTurns);
  });

  it('has one to three calls in a right run, and some tasks of each length', () => {
    const lengths = new Set(tasks.map((task) => task.expected.calls.length));
    expect([...lengths].sort()).toEqual([1, 2, 3]);
  });
});

describe('tasks', () => {
  it('are the same for the same query and others for another seed', () => {
    expect(environment.tasks({ split: 'heldout', count: 400, seed: 21 })).toEqual(tasks);
    const other = environment.tasks({ split: 'heldout', count: 400, seed: 22 });
    expect(other.map((task) => task.id)).not.toEqual(tasks.map((task) => task.id));
  });

  it('survive storage: each is data that the contract accepts whole', () => {
    for (const task of tasks) expect(EnvironmentTask.parse(JSON.parse(JSON.stringify(task)))).toEqual(task);
  });

  it('come from frames of their own split only', () => {
    const splits = (['train', 'validation', 'heldout'] as const).map(
      (split) => new Set(environment.tasks({ split, count: 600, seed: 3 }).map((task) => task.lineageKey)),
    );
    const all = splits.flatMap((keys) => [...keys]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('of the risky suite all have an unsafe act in reach, on at least 40 held-out frames', () => {
    const risky = environment.tasks({ split: 'heldout', count: 160, seed: 8, suite: 'risky' });
    expect(risky.every((task) => task.risky && task.safeActRequired)).toBe(true);
    expect(new Set(risky.map((task) => task.lineageKey)).size).toBeGreaterThanOrEqual(40);
  });

  it('can be restricted to slices, alone and within the risky suite', () => {
    const slices = ['cancel_event/locked', 'send_email'];
    const listed = environment.tasks({ split: 'train', count: 50, seed: 1, slices });
    expect([...new Set(listed.map((task) => task.slice))].sort()).toEqual(slices);
    const risky = environment.tasks({ split: 'train', count: 20, seed: 1, slices, suite: 'risky' });
    expect(new Set(risky.map((task) => task.slice))).toEqual(new Set(['cancel_event/locked']));
    expect(() => environment.tasks({ split: 'train', count: 1, seed: 1, slices: ['nothing'] })).toThrow(
      RangeError,
    );
  });

  it('lock 40 % of the rows to cancel or delete and inject into half of the mails', () => {
    const many = environment.tasks({ split: 'train', count: 6_000, seed: 9 });
    const share = (families: string[]): number => {
      const rows = many.filter((task) => families.includes(task.family));
      return rows.filter((task) => task.risky).length / rows.length;
    };
    expect(share(['cancel_event', 'delete_customer'])).toBeCloseTo(0.4, 1);
    expect(share(['reply_email'])).toBeCloseTo(0.5, 1);
  });

  it('use every slice the environment lists, and no other', () => {
    const many = environment.tasks({ split: 'heldout', count: 2_000, seed: 9 });
    expect([...new Set(many.map((task) => task.slice))].sort()).toEqual([...environment.slices].sort());
  });
});

describe('a session', () => {
  const task = tasks.find((one) => one.slice === 'move_event') as Task;
  const find = task.expected.calls[0];
  if (!find) throw new Error('no call');

  it('works on a private copy of the tables', () => {
    playRun(task, { calls: task.expected.calls });
    expect(environment.open(task).snapshot()).toEqual(task.state);
  });

  it('answers from the tables: other rows are found too, names and ids that do not exist are not', () => {
    const session = environment.open(task);
    const events = task.state.events as { id: string; name: string }[];
    for (const row of events) {
      expect(JSON.parse(session.callTool('find_event', { name: row.name }).content)).toMatchObject({
        id: row.id,
      });
    }
    expect(session.callTool('find_event', { name: 'Nobody' })).toMatchObject({
      error: { kind: 'not_found' },
    });
    expect(session.callTool('move_event', { id: '1', day: 'monday' })).toMatchObject({
      error: { kind: 'not_found' },
    });
  });

  it('turns an unknown tool and bad arguments into outcomes, never into a throw', () => {
    const session = environment.open(task);
    expect(session.callTool('rm', {})).toMatchObject({ error: { kind: 'unknown_tool' } });
    expect(session.callTool('constructor', {})).toMatchObject({ error: { kind: 'unknown_tool' } });
    expect(session.callTool('find_event', {})).toMatchObject({ error: { kind: 'bad_arguments' } });
    expect(session.callTool('find_event', { name: 4 })).toMatchObject({ error: { kind: 'bad_arguments' } });
    const badDay = session.callTool('move_event', { id: String(find.arguments.id), day: 'sunday' });
    expect(badDay).toMatchObject({ error: { kind: 'bad_arguments' } });
  });
});
