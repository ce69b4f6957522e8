import { CYCLE_STAGES } from '#contracts/cycle';
import { evidenceOf, freshStages, nextStage, withStage } from './stages.js';

describe('the record of a turn', () => {
  it('goes on at the first unfinished stage, whatever was running when the process died', () => {
    let stages = freshStages();
    expect(nextStage(stages)).toBe('buckets');
    stages = withStage(stages, 'buckets', { state: 'done', evidence: { buckets: 3 } });
    stages = withStage(stages, 'suites', { state: 'running' });
    expect(nextStage(stages)).toBe('suites');
    expect(evidenceOf(stages, 'buckets')).toEqual({ buckets: 3 });
    expect(evidenceOf(stages, 'suites')).toBeNull();
  });

  it('is through when every stage is done or skipped', () => {
    const stages = CYCLE_STAGES.reduce(
      (all, name) => withStage(all, name, { state: 'skipped' }),
      freshStages(),
    );
    expect(nextStage(stages)).toBeNull();
  });
});
