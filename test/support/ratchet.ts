/** A whole Ratchet for a test: in this process, or as the program a person starts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { TrainerProvider } from '#loop/cycles';
import { loadConfig } from '#platform/config';
import { projectRoot } from '#platform/runtime';
import { startRatchet, type Started } from '../../apps/ratchet/start.js';
import { tempDir } from './temp-dir.js';

export const rootDir = projectRoot();
const distDir = join(rootDir, 'dist');

export function startInProcess(
  settings: Record<string, string>,
  trainers?: TrainerProvider,
): Promise<Started> {
  const config = loadConfig({
    RATCHET_PORT: '0',
    RATCHET_HOME: tempDir(),
    RATCHET_LOG_LEVEL: 'silent',
    RATCHET_SCHEDULE: 'off',
    ...settings,
  });
  return startRatchet({ config, say: () => undefined, distDir, ...(trainers ? { trainers } : {}) });
}

export interface RatchetProcess {
  url: string;
  child: ChildProcess;
  /** Everything it wrote. */
  output(): string;
  get<T>(path: string): Promise<T>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export interface Ended {
  code: number | null;
  output: string;
}

function program(
  args: string[],
  settings: Record<string, string>,
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, args, {
    cwd: rootDir,
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      RATCHET_LOG_LEVEL: 'error',
      RATCHET_SCHEDULE: 'off',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** Runs a program of `dist` to its end. */
export function runToEnd(
  script: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Ended> {
  const { child, output } = program([join('dist', script), ...args], settings);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: output() })));
}

/** `npx ratchet …` against a running Ratchet. */
export function cli(at: { url: string; key?: string }, ...args: string[]): Promise<Ended> {
  const key: Record<string, string> = at.key === undefined ? {} : { RATCHET_KEY: at.key };
  return runToEnd('apps/ratchet/cli/main.js', args, { RATCHET_URL: at.url, ...key });
}

/** `npx ratchet …` that a person ends by Ctrl-C once its output matches. */
export function interruptedCli(at: { url: string }, seen: RegExp, ...args: string[]): Promise<Ended> {
  const { child, output } = program([join('dist', 'apps/ratchet/cli/main.js'), ...args], {
    RATCHET_URL: at.url,
  });
  let interrupted = false;
  const interruptWhenSeen = (): void => {
    if (interrupted || !seen.test(output())) return;
    interrupted = true;
    child.kill('SIGINT');
  };
  child.stdout?.on('data', interruptWhenSeen);
  child.stderr?.on('data', interruptWhenSeen);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: output() })));
}

/** Starts the compiled app as its own process. @throws Error with its output when it ends before it is ready. */
export async function startProcess(settings: Record<string, string>): Promise<RatchetProcess> {
  const { child, output } = program([join('dist', 'apps', 'ratchet', 'main.js')], {
    RATCHET_PORT: '0',
    ...settings,
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const found = /Ratchet is ready at (\S+)/.exec(output())?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', (code) => reject(new Error(`Ratchet ended with ${code}: ${output()}`)));
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    url,
    child,
    output,
    get: async <T>(path: string) => (await (await fetch(`${url}${path}`)).json()) as T,
    end: (signal) => {
      child.kill(signal);
      return closed;
    },
  };
}
