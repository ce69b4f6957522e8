import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '#kernel/errors';
import { sha256 } from '#kernel/sha256';
import { spawnCommand } from '../process/index.js';
import { findPython, findUv } from './find-python.js';

export type PythonState = 'absent' | 'preparing' | 'ready' | 'failed';

export interface PythonProgress {
  state: PythonState;
  /** What a person reads: what is done now, or why it failed and what to do. */
  message: string;
  /** Disk the environment takes, announced before anything is downloaded. */
  expectedBytes: number;
}

export interface PythonEnvironmentOptions {
  homeDir: string;
  /** Folder with pyproject.toml and uv.lock. */
  projectDir: string;
  /** What a complete environment takes on disk, for the announcement and the check of free space. */
  expectedBytes: number;
  /** Version of uv to bring when none is installed. */
  uvVersion: string;
}

/**
 * Makes and keeps the trainer's virtual environment under `<homeDir>/python`. A stamp holding the lock file's hash is
 * written last, so an interrupted install is taken up again and a changed lock is synced.
 */
export class PythonEnvironment {
  private current: PythonProgress;
  private running: Promise<string> | null = null;

  constructor(private readonly options: PythonEnvironmentOptions) {
    this.current = { state: 'absent', message: 'Not prepared yet.', expectedBytes: options.expectedBytes };
  }

  get progress(): PythonProgress {
    return this.current;
  }

  private get venvDir(): string {
    return join(this.options.homeDir, 'python', 'venv');
  }

  private get stampPath(): string {
    return join(this.options.homeDir, 'python', 'stamp');
  }

  /** Path of the interpreter inside the environment. */
  get interpreter(): string {
    return join(this.venvDir, 'bin', 'python');
  }

  /** Whether the environment is complete for the lock file as it is now. */
  async isReady(): Promise<boolean> {
    if (!existsSync(this.interpreter) || !existsSync(this.stampPath)) return false;
    return (await readFile(this.stampPath, 'utf8')) === (await this.lockHash());
  }

  /**
   * Prepares the environment; calls made meanwhile share one preparation.
   * @returns the interpreter's path.
   * @throws AppError training.unavailable with the reason (no Python, too little disk, an install that failed).
   */
  prepare(onProgress: (progress: PythonProgress) => void = () => undefined): Promise<string> {
    this.running ??= this.make(onProgress).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async make(onProgress: (progress: PythonProgress) => void): Promise<string> {
    const say = (state: PythonState, message: string): void => {
      this.current = { state, message, expectedBytes: this.options.expectedBytes };
      onProgress(this.current);
    };
    try {
      if (!(await this.isReady())) await this.install(say);
      say('ready', 'The Python environment is ready.');
      return this.interpreter;
    } catch (error) {
      const reason = error instanceof AppError ? error.publicMessage : String(error);
      say('failed', reason);
      throw error instanceof AppError
        ? error
        : new AppError('training.unavailable', {
            public: `The Python environment could not be made: ${reason}`,
            cause: error,
          });
    }
  }

  private async install(say: (state: PythonState, message: string) => void): Promise<void> {
    const gigabytes = (this.options.expectedBytes / 1e9).toFixed(0);
    say('preparing', `Preparing the Python environment for training (about ${gigabytes} GB, once).`);
    const python = await findPython();
    await this.checkDisk();
    const uv = (await findUv()) ?? (await this.bringUv(python, say));
    if (!existsSync(this.interpreter)) {
      await rm(this.venvDir, { recursive: true, force: true });
      await this.command('python-venv', uv, ['venv', '--python', python, this.venvDir], say);
    }
    say('preparing', `Installing the trainer's packages (about ${gigabytes} GB).`);
    await this.command(
      'python-sync',
      uv,
      [
        'sync',
        '--frozen',
        '--no-dev',
        '--no-install-project',
        '--project',
        this.options.projectDir,
        '--python',
        this.interpreter,
      ],
      say,
    );
    await writeFile(`${this.stampPath}.tmp`, await this.lockHash());
    await rename(`${this.stampPath}.tmp`, this.stampPath);
  }

  private async checkDisk(): Promise<void> {
    const dir = join(this.options.homeDir, 'python');
    await mkdir(dir, { recursive: true });
    const { bavail, bsize } = await statfs(dir);
    const free = bavail * bsize;
    if (existsSync(this.interpreter) || free >= this.options.expectedBytes * 1.2) return;
    throw new AppError('training.unavailable', {
      public: `Training needs about ${((this.options.expectedBytes * 1.2) / 1e9).toFixed(1)} GB of free disk under ${dir}; ${(free / 1e9).toFixed(1)} GB are free. Free some, or point RATCHET_HOME to a larger disk.`,
    });
  }

  private async bringUv(python: string, say: (state: PythonState, message: string) => void): Promise<string> {
    const dir = join(this.options.homeDir, 'python', 'uv');
    const uv = join(dir, 'bin', 'uv');
    if (existsSync(uv)) return uv;
    say('preparing', 'Fetching uv, the Python package installer.');
    await this.command('python-uv-venv', python, ['-m', 'venv', dir], say);
    await this.command(
      'python-uv',
      join(dir, 'bin', 'pip'),
      ['install', '--quiet', `uv==${this.options.uvVersion}`],
      say,
    );
    return uv;
  }

  private async command(
    name: string,
    command: string,
    args: string[],
    say: (state: PythonState, message: string) => void,
  ): Promise<void> {
    const lastLines: string[] = [];
    const child = spawnCommand({
      name,
      command,
      args,
      homeDir: this.options.homeDir,
      env: { UV_PROJECT_ENVIRONMENT: this.venvDir, VIRTUAL_ENV: this.venvDir },
      onLine: (line) => {
        lastLines.push(line);
        if (lastLines.length > 5) lastLines.shift();
        if (line.trim() !== '') say('preparing', line.trim().slice(0, 200));
      },
    });
    const exit = await child.exited;
    if (exit.code === 0) return;
    throw new AppError('training.unavailable', {
      public: `Preparing Python stopped at "${name}": ${lastLines.join(' | ') || `exit ${exit.code ?? exit.signal}`}. Start again to resume.`,
    });
  }

  private async lockHash(): Promise<string> {
    return sha256(await readFile(join(this.options.projectDir, 'uv.lock')));
  }
}
