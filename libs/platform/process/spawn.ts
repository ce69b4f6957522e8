import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { childEnvironment } from '#platform/config';
import { AppError } from '#kernel/errors';

import { removeChildRecord, signalGroup, writeChildRecord } from './child-record.js';

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildHandle {
  readonly name: string;
  readonly pid: number;
  /** Fields of the first line on standard output that is JSON with `"ready": true`; rejects when the child ends first. */
  readonly ready: Promise<Record<string, unknown>>;
  /** Settles once the process is gone and its output was read; never rejects. */
  readonly exited: Promise<ChildExit>;
  /** SIGTERM, then after `graceMs` SIGKILL, to the child and all that it started. Resolves when it is gone. */
  stop(graceMs?: number): Promise<void>;
}

interface CommonOptions {
  /** Names the record in `<homeDir>/run`; unique among the running children of a data folder. */
  name: string;
  homeDir: string;
  /** Each line of output: all of standard error, and standard output after the ready line. */
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
  onExit?: (exit: ChildExit) => void;
  /** Added to the inherited environment, from which Ratchet's secrets are removed. */
  env?: Readonly<Record<string, string>>;
}

export interface SpawnChildOptions extends CommonOptions {
  /** Path of a Node program; see `childScript`. */
  script: string;
  /** Sent as one JSON line on standard input, where no other process can read it. */
  config: unknown;
  nodeArgs?: readonly string[];
}

export interface SpawnCommandOptions extends CommonOptions {
  command: string;
  args?: readonly string[];
  cwd?: string;
  /** One JSON line on standard input, when given. Standard input stays open either way: its end tells the child to end. */
  config?: unknown;
}

const TYPESCRIPT_LOADER = new URL('./typescript-loader.mjs', import.meta.url);
const LAST_LINES_KEPT = 20;

/** Path of a child program beside the calling module: `childScript(import.meta.url, './engine.main')`. */
export function childScript(moduleUrl: string, specifier: string): string {
  const extension = moduleUrl.endsWith('.ts') ? '.ts' : '.js';
  return fileURLToPath(new URL(`${specifier}${extension}`, moduleUrl));
}

/** Starts a Node program of this repository as a child that ends with this process. */
export function spawnChild(options: SpawnChildOptions): ChildHandle {
  const { script, nodeArgs = [], ...rest } = options;
  const args = [...nodeArgs, ...(script.endsWith('.ts') ? sourceArgs() : []), script];
  return spawnCommand({ ...rest, command: process.execPath, args });
}

/** From source (tests) a child needs the same TypeScript transform and import conditions as its parent. */
function sourceArgs(): string[] {
  return ['--conditions=source', '--import', TYPESCRIPT_LOADER.href];
}

/**
 * Starts any program with its standard input kept open, in a process group of its own (a Ctrl-C in the terminal reaches
 * this process, which then stops its children in order).
 * @throws AppError `internal` when the program cannot be started at all.
 */
export function spawnCommand(options: SpawnCommandOptions): ChildHandle {
  const { name, homeDir, command, args = [], cwd, env } = options;
  const child = spawn(command, [...args], {
    cwd,
    env: childEnvironment(env),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const pid = child.pid;
  if (pid === undefined) {
    child.once('error', () => undefined);
    const hint =
      cwd !== undefined && !existsSync(cwd) ? `the folder ${cwd} does not exist` : `is ${command} installed?`;
    throw new AppError('internal', { public: `${name} could not be started: ${hint}`, detail: { command } });
  }
  writeChildRecord(homeDir, name, pid);
  child.on('error', (error) => options.onLine?.(`${name}: ${error.message}`, 'stderr'));
  // A child that ended early breaks the pipe; its exit is reported by `exited`, so the write error says nothing new.
  child.stdin.on('error', () => undefined);
  if (options.config !== undefined) child.stdin.write(`${JSON.stringify(options.config)}\n`);
  return superviseChild(child, pid, options);
}

function superviseChild(child: ChildProcess, pid: number, options: CommonOptions): ChildHandle {
  const { name, homeDir } = options;
  const lastLines: string[] = [];
  const { ready, onStdoutLine, onEnd } = readySignal(name, lastLines, options);
  const closed = [
    readLines(child.stdout, onStdoutLine),
    readLines(child.stderr, (line) => {
      lastLines.push(line);
      if (lastLines.length > LAST_LINES_KEPT) lastLines.shift();
      options.onLine?.(line, 'stderr');
    }),
  ];
  const exited = new Promise<ChildExit>((resolve) => {
    child.once('exit', (code, signal) => {
      // Nothing that the child started may outlive it.
      signalGroup(pid, 'SIGKILL', 'group only');
      // What the child itself started may hold the pipes open: wait for the rest of the output, but not for ever.
      void Promise.race([Promise.all(closed), timeout(1_000)]).then(() => {
        removeChildRecord(homeDir, name, pid);
        onEnd({ code, signal });
        options.onExit?.({ code, signal });
        resolve({ code, signal });
      });
    });
  });
  const stop = async (graceMs = 5_000): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) signalGroup(pid, 'SIGTERM');
    const killer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
    await exited;
    clearTimeout(killer);
  };
  return { name, pid, ready, exited, stop };
}

function readySignal(name: string, lastLines: readonly string[], options: CommonOptions) {
  let settle: { resolve(fields: Record<string, unknown>): void; reject(error: Error): void } | undefined;
  const ready = new Promise<Record<string, unknown>>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Not every caller waits for it; `exited` reports the same end.
  ready.catch(() => undefined);
  const onStdoutLine = (line: string): void => {
    const fields = settle === undefined ? undefined : parseReadyLine(line);
    if (fields === undefined) return options.onLine?.(line, 'stdout');
    settle?.resolve(fields);
    settle = undefined;
  };
  const onEnd = ({ code, signal }: ChildExit): void => {
    const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
    const why = lastLines.at(-1) ?? 'it said nothing';
    settle?.reject(
      new AppError('internal', {
        public: `${name} ended before it was ready (${how}): ${why}`,
        detail: { lastLines: [...lastLines] },
      }),
    );
    settle = undefined;
  };
  return { ready, onStdoutLine, onEnd };
}

function parseReadyLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { ready, ...fields } = JSON.parse(line) as Record<string, unknown>;
    return ready === true ? fields : undefined;
  } catch {
    return undefined;
  }
}

function readLines(input: NodeJS.ReadableStream | null, onLine: (line: string) => void): Promise<void> {
  if (input === null) return Promise.resolve();
  const lines = createInterface({ input });
  lines.on('line', onLine);
  return new Promise((resolve) => lines.once('close', resolve));
}

function timeout(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
