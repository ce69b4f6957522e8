import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from '#kernel/errors';

import { eventually } from '../../../test/support/eventually.js';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import {
  acquireHomeLock,
  childScript,
  clearOrphans,
  isAlive,
  listChildRecords,
  processStartToken,
  spawnChild,
  spawnCommand,
  type ChildHandle,
} from './index.js';

const script = childScript(import.meta.url, './fixtures/child.main');
const started: ChildHandle[] = [];

function start(mode: string, homeDir = tempDir(), onLine?: (line: string) => void): ChildHandle {
  const options = { name: 'child', script, homeDir, config: { greeting: 'hello', mode } };
  const child = spawnChild(onLine === undefined ? options : { ...options, onLine });
  started.push(child);
  return child;
}

const gone = (pid: number): boolean => processStartToken(pid) === undefined;

afterAll(async () => {
  await Promise.all(started.map((child) => child.stop(0)));
  removeTempDirs();
});

describe('a child process', () => {
  it('gets its settings on standard input, reports ready with fields and forwards its lines', async () => {
    const lines: string[] = [];
    const homeDir = tempDir();
    const child = start('serve', homeDir, (line) => lines.push(line));
    expect(await child.ready).toEqual({ echoed: 'hello' });
    await eventually('the line after ready', () => lines.includes('after ready'));
    expect(lines).toContain('child says hello');
    expect(listChildRecords(homeDir)).toEqual([
      { name: 'child', pid: child.pid, startToken: processStartToken(child.pid) },
    ]);

    await child.stop();
    expect(await child.exited).toEqual({ code: null, signal: 'SIGTERM' });
    expect(gone(child.pid)).toBe(true);
    expect(listChildRecords(homeDir)).toEqual([]);
  });

  it('that ends before it is ready rejects with its last words', async () => {
    const child = start('fail');
    await expect(child.ready).rejects.toThrow(/exit code 7.*child says hello/);
    expect(await child.exited).toEqual({ code: 7, signal: null });
  });

  it('that ignores SIGTERM is killed after its grace', async () => {
    const child = start('stubborn');
    await child.ready;
    await child.stop(50);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('takes with it what it started', async () => {
    const child = start('with-grandchild');
    const { grandchild } = await child.ready;
    await child.stop();
    await eventually('the grandchild is gone', () => gone(Number(grandchild)));
  });

  it('ends by itself when its parent is killed without warning', async () => {
    const homeDir = tempDir();
    const parent = startParent(homeDir, 'serve');
    const { childPid } = await parent.ready;
    process.kill(parent.pid, 'SIGKILL');
    await eventually('the orphan ends', () => gone(Number(childPid)));
  });

  it('that survived its killed parent is cleared at the next start, and no other process is', async () => {
    const homeDir = tempDir();
    const parent = startParent(homeDir, 'stubborn');
    const { childPid } = await parent.ready;
    process.kill(parent.pid, 'SIGKILL');
    await parent.exited;
    const cleared = await clearOrphans(homeDir, 50);
    await eventually('the orphan ends', () => gone(Number(childPid)));
    expect(cleared.every((record) => record.pid === childPid)).toBe(true);
    expect(listChildRecords(homeDir)).toEqual([]);
    expect(isAlive(process.pid, 'another start')).toBe(false);
  });

  it('whose program is missing is refused with a reason', () => {
    const homeDir = tempDir();
    expect(() => spawnCommand({ name: 'x', command: 'no-such-program-here', homeDir })).toThrow(
      /is no-such-program-here installed/,
    );
    expect(() => spawnCommand({ name: 'x', command: 'sleep', cwd: '/no/such', homeDir })).toThrow(
      /does not exist/,
    );
  });
});

describe('the lock on the data folder', () => {
  it('refuses a second app and names the first', async () => {
    const homeDir = tempDir();
    const first = startLockHolder(homeDir);
    await first.ready;
    const refusal = caught(() => acquireHomeLock(homeDir));
    expect(refusal.code).toBe('resource.conflict');
    expect(refusal.publicMessage).toContain(`process ${first.pid}`);
  });

  it('of an app that was killed is taken over, and released by its owner only', async () => {
    const homeDir = tempDir();
    const first = startLockHolder(homeDir);
    await first.ready;
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    const lock = acquireHomeLock(homeDir);
    expect(readFileSync(join(homeDir, 'ratchet.lock'), 'utf8')).toContain(`"pid":${process.pid}`);
    lock.release();
    acquireHomeLock(homeDir).release();
  });

  it('on a folder that cannot be made says what to do', () => {
    const refusal = caught(() => acquireHomeLock('/dev/null/ratchet'));
    expect(refusal.code).toBe('config.invalid');
    expect(refusal.publicMessage).toMatch(/Set RATCHET_HOME/);
  });
});

function startParent(homeDir: string, mode: string): ChildHandle {
  const parent = spawnChild({
    name: 'parent',
    homeDir: tempDir(),
    script: childScript(import.meta.url, './fixtures/parent.main'),
    config: { homeDir, mode },
  });
  started.push(parent);
  return parent;
}

function startLockHolder(homeDir: string): ChildHandle {
  const holder = spawnChild({
    name: 'holder',
    homeDir: tempDir(),
    script: childScript(import.meta.url, './fixtures/lock.main'),
    config: { homeDir },
  });
  started.push(holder);
  return holder;
}

function caught(action: () => unknown): AppError {
  try {
    action();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}
