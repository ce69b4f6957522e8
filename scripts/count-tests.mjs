/**
 * Runs Jest and, unless single suites were asked for, the Python suites, and ends with the plain line `N passed, N failed`,
 * which every reader of a log understands. What was skipped is said in the line before.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const dir = mkdtempSync(join(tmpdir(), 'ratchet-tests-'));

/** A suite that left no results counts as one failure: it may not pass for silence. */
function read(name, parse) {
  try {
    return parse(readFileSync(join(dir, name), 'utf8'));
  } catch (error) {
    console.error(`${name} holds no results: ${error instanceof Error ? error.message : String(error)}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

function jest(args) {
  const nodeOptions = [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--no-warnings']
    .filter(Boolean)
    .join(' ');
  const command = ['node_modules/jest/bin/jest.js', '--json', `--outputFile=${join(dir, 'jest.json')}`];
  const run = spawnSync(process.execPath, [...command, ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: nodeOptions },
  });
  const totals = read('jest.json', (text) => {
    const results = JSON.parse(text);
    return {
      passed: results.numPassedTests,
      // A suite that could not even load holds no failed test, but it is no pass either.
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
    };
  });
  return run.status === 0 || totals.failed > 0 ? totals : { ...totals, failed: 1 };
}

/** pytest in the trainer's own locked environment; JUnit's totals are the count. */
function pytest(folder) {
  if (spawnSync('uv', ['--version']).status !== 0) {
    console.error(`The Python tests of ${folder} are skipped: uv is not installed.`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  const name = `${folder.replaceAll('/', '-')}.xml`;
  const project = ['--project', resolve('native/trainer'), '--frozen', '--group', 'dev'];
  const report = ['-q', '--no-header', '-W', 'ignore', `--junitxml=${join(dir, name)}`];
  const run = spawnSync('uv', ['run', ...project, 'python', '-m', 'pytest', ...report], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const totals = read(name, (text) => {
    const count = (attribute) => Number(new RegExp(`<testsuite [^>]*${attribute}="(\\d+)"`).exec(text)?.[1]);
    const failed = count('failures') + count('errors');
    return { passed: count('tests') - failed - count('skipped'), failed, skipped: count('skipped') };
  });
  return run.status === 0 || totals.failed > 0 ? totals : { ...totals, failed: 1 };
}

const asked = process.argv.slice(2);
const suites = [jest(asked)];
if (asked.length === 0) suites.push(pytest('native/trainer'), pytest('native/tiny-policy'));
rmSync(dir, { recursive: true, force: true });

const sum = (name) => suites.reduce((total, suite) => total + suite[name], 0);
console.log(`${sum('skipped')} skipped`);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 && sum('passed') > 0 ? 0 : 1);
