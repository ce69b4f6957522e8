/** Runs Jest and ends with the plain line `N passed, N failed, N skipped`, which every reader of a log understands. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const dir = mkdtempSync(join(tmpdir(), 'ratchet-jest-'));
const output = join(dir, 'results.json');
const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--no-warnings']
  .filter(Boolean)
  .join(' ');
const run = spawnSync(
  process.execPath,
  ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${output}`, ...process.argv.slice(2)],
  { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_OPTIONS: nodeOptions } },
);

let totals = { passed: 0, failed: 1, skipped: 0 };
try {
  const results = JSON.parse(readFileSync(output, 'utf8'));
  totals = {
    passed: results.numPassedTests,
    // A suite that could not even load holds no failed test, but it is no pass either.
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
    skipped: results.numPendingTests + results.numTodoTests,
  };
} catch (error) {
  console.error(`Jest left no results: ${error instanceof Error ? error.message : String(error)}`);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
const ok = run.status === 0 && totals.failed === 0 && totals.passed > 0;
console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
process.exit(ok ? 0 : 1);
