import { eventually } from '../../../test/support/eventually.js';
import { Repeating } from './repeating.js';

describe('repeating work', () => {
  it('never overlaps itself, begins with what it is given, and is over when stopped', async () => {
    const done: string[] = [];
    let atOnce = 0;
    let most = 0;
    const work = (name: string) => async (): Promise<void> => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 3));
      done.push(name);
      atOnce -= 1;
    };
    const repeating = new Repeating(work('again'), 1);
    repeating.start(work('first'));
    await eventually('it was repeated', () => done.length > 4);
    await repeating.stop();
    const count = done.length;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(done).toHaveLength(count);
    expect(done.slice(0, 2)).toEqual(['first', 'again']);
    expect(most).toBe(1);
  });
});
