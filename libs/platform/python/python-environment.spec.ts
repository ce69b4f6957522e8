import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#kernel/errors';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { PythonEnvironment, type PythonProgress } from './index.js';

afterAll(removeTempDirs);

const PATH = process.env['PATH'] ?? '';
afterEach(() => {
  process.env['PATH'] = PATH;
});

/** A project without packages: made by the real tools, and nothing is downloaded. */
function project(name = 'nothing'): string {
  const dir = tempDir();
  const about = `[project]\nname = "${name}"\nversion = "0.1.0"\nrequires-python = ">=3.11"\n\n[tool.uv]\npackage = false\n`;
  writeFileSync(join(dir, 'pyproject.toml'), about);
  lock(dir, name);
  return dir;
}

function lock(dir: string, name: string, note = ''): void {
  const entry = `[[package]]\nname = "${name}"\nversion = "0.1.0"\nsource = { virtual = "." }\n`;
  writeFileSync(join(dir, 'uv.lock'), `${note}version = 1\nrequires-python = ">=3.11"\n\n${entry}`);
}

function environment(over: { homeDir?: string; projectDir?: string; expectedBytes?: number } = {}) {
  const options = { homeDir: tempDir(), projectDir: project(), expectedBytes: 7e9, uvVersion: '0.13.9' };
  const made = { ...options, ...over };
  return { made: new PythonEnvironment(made), homeDir: made.homeDir, projectDir: made.projectDir };
}

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error(`it was not refused, or not plainly: ${String(error)}`);
}

describe('the Python environment', () => {
  it('is announced with its size, made once, and shared by those who ask meanwhile', async () => {
    const { made } = environment();
    const said: PythonProgress[] = [];
    expect(await made.isReady()).toBe(false);
    const [first, second] = await Promise.all([
      made.prepare((progress) => said.push(progress)),
      made.prepare(),
    ]);
    expect(first).toBe(second);
    expect(existsSync(first)).toBe(true);
    expect(said[0]).toMatchObject({ state: 'preparing', message: expect.stringContaining('about 7 GB') });
    expect(made.progress.state).toBe('ready');
    const again: PythonProgress[] = [];
    await made.prepare((progress) => again.push(progress));
    expect(again.map(({ state }) => state)).toEqual(['ready']);
  }, 120_000);

  it('is taken up where an interrupted install left it', async () => {
    const { made, homeDir, projectDir } = environment();
    await made.prepare();
    // A kill before the end leaves an environment without its stamp.
    rmSync(join(homeDir, 'python', 'stamp'));
    expect(await made.isReady()).toBe(false);
    const next = environment({ homeDir, projectDir }).made;
    await next.prepare();
    expect(await next.isReady()).toBe(true);
  }, 120_000);

  it('is made anew from a half-made folder, and synced when the lock file changed', async () => {
    const { made, homeDir, projectDir } = environment();
    mkdirSync(join(homeDir, 'python', 'venv', 'bin'), { recursive: true });
    await made.prepare();
    expect(await made.isReady()).toBe(true);
    lock(projectDir, 'nothing', '# another one\n');
    expect(await made.isReady()).toBe(false);
    await made.prepare();
    expect(await made.isReady()).toBe(true);
  }, 120_000);

  it('says plainly that there is no Python, and is made once there is one', async () => {
    const { made } = environment();
    process.env['PATH'] = tempDir();
    const error = await refusal(made.prepare());
    expect(error.code).toBe('training.unavailable');
    expect(error.publicMessage).toMatch(
      /needs Python 3\.11 to 3\.13; none was found.*everything before training/,
    );
    expect(made.progress.state).toBe('failed');
    process.env['PATH'] = PATH;
    await made.prepare();
    expect(made.progress.state).toBe('ready');
  }, 120_000);

  it('says which Python it found when that is not the right one', async () => {
    const bin = tempDir();
    writeFileSync(join(bin, 'python3'), '#!/bin/sh\necho 3 8\n', { mode: 0o755 });
    const { made } = environment();
    process.env['PATH'] = bin;
    const error = await refusal(made.prepare());
    expect(error.publicMessage).toContain('python3 is 3.8');
  });

  it('says how much disk it needs and where, before anything is made', async () => {
    const { made, homeDir } = environment({ expectedBytes: 1e18 });
    const error = await refusal(made.prepare());
    expect(error.code).toBe('training.unavailable');
    expect(error.publicMessage).toMatch(/needs about .* GB of free disk under .* are free.*RATCHET_HOME/);
    expect(existsSync(join(homeDir, 'python', 'venv'))).toBe(false);
  });

  it('says where an install stopped and that a start resumes it', async () => {
    const { made, projectDir } = environment();
    writeFileSync(join(projectDir, 'uv.lock'), 'this is no lock file');
    const error = await refusal(made.prepare());
    expect(error.publicMessage).toMatch(/stopped at "python-sync".*Start again to resume/);
    expect(await made.isReady()).toBe(false);
  }, 120_000);
});
