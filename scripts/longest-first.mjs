/**
 * Jest's order of suites: without a cache of times (every clean clone) Jest goes by file size, and the one real turn of the
 * loop, by far the longest, would begin last and run on alone. It begins first here; the rest is Jest's own order.
 */
import Sequencer from '@jest/test-sequencer';

const LONGEST = ['test/loop/cycle.spec.ts', 'test/loop/cycle-kill.spec.ts'];

const rank = ({ path }) => {
  const at = LONGEST.findIndex((name) => path.endsWith(name));
  return at < 0 ? LONGEST.length : at;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((a, b) => rank(a) - rank(b));
  }
}
