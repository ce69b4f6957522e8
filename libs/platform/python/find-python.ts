import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { AppError } from '#kernel/errors';
import { childEnvironment } from '../config/index.js';

const run = promisify(execFile);
const CANDIDATES = ['python3.13', 'python3.12', 'python3.11', 'python3', 'python'];
const MINIMUM: readonly [number, number] = [3, 11];
const MAXIMUM: readonly [number, number] = [3, 13];

async function versionOf(command: string): Promise<[number, number] | null> {
  try {
    const { stdout } = await run(command, ['-c', 'import sys; print(*sys.version_info[:2])'], {
      timeout: 20_000,
      env: childEnvironment(),
    });
    const [major, minor] = stdout.trim().split(' ').map(Number);
    return major === undefined || minor === undefined ? null : [major, minor];
  } catch {
    // Not installed is the ordinary case here; the caller reports when none is.
    return null;
  }
}

const isAtLeast = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  a[0] > b[0] || (a[0] === b[0] && a[1] >= b[1]);

/**
 * First interpreter on the PATH that the trainer's dependencies have wheels for.
 * @throws AppError training.unavailable saying which versions were found and what to install.
 */
export async function findPython(): Promise<string> {
  const seen: string[] = [];
  for (const command of CANDIDATES) {
    const version = await versionOf(command);
    if (version === null) continue;
    if (isAtLeast(version, MINIMUM) && isAtLeast(MAXIMUM, version)) return command;
    seen.push(`${command} is ${version.join('.')}`);
  }
  const found = seen.length > 0 ? `found only: ${seen.join(', ')}` : 'none was found on the PATH';
  throw new AppError('training.unavailable', {
    public: `Training needs Python ${MINIMUM.join('.')} to ${MAXIMUM.join('.')}; ${found}. Install one (everything before training works without it).`,
  });
}

/** `uv` on the PATH, or null. */
export async function findUv(): Promise<string | null> {
  try {
    await run('uv', ['--version'], { timeout: 20_000, env: childEnvironment() });
    return 'uv';
  } catch {
    // Absent is ordinary: the caller brings its own copy.
    return null;
  }
}
