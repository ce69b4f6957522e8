/** A Ratchet of its own for a benchmark: a child process on a free port with its own data folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';

export interface AppProcess {
  url: string;
  pid: number;
  /** Milliseconds from the start of the command to the ready line. */
  readyMs: number;
  get<T>(path: string): Promise<T>;
  send<T>(method: 'POST' | 'PATCH', path: string, body: unknown): Promise<T>;
  stop(): Promise<void>;
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function readyLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const url = /Ratchet is ready at (\S+)/.exec(text)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`Ratchet ended before it was ready (exit ${code})`)));
  });
}

async function call<T>(url: string, method: string, body?: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(answer)}`);
  return answer as T;
}

/** Starts `command` in `cwd`; settings come by environment variables, as a person would give them. */
export async function startApp(
  command: string[],
  cwd: string,
  settings: Record<string, string>,
): Promise<AppProcess> {
  const port = await freePort();
  const started = performance.now();
  const [program = 'node', ...args] = command;
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, RATCHET_LOG_LEVEL: 'error', RATCHET_PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A benchmark that is stopped takes its Ratchet with it.
  const endWithUs = (): void => void child.kill('SIGTERM');
  process.once('exit', endWithUs);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const url = await readyLine(child);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url,
    pid: child.pid ?? 0,
    readyMs: performance.now() - started,
    get: (path) => call(`${url}${path}`, 'GET'),
    send: (method, path, body) => call(`${url}${path}`, method, body),
    stop: async () => {
      process.off('exit', endWithUs);
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function childrenOf(pid: number, parents: ReadonlyMap<number, number>): number[] {
  const children = [...parents].filter(([, parent]) => parent === pid).map(([child]) => child);
  return children.flatMap((child) => [child, ...childrenOf(child, parents)]);
}

/** A file of a process's folder under /proc; null when the process ended meanwhile. */
function procFile(pid: number | string, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return null;
    throw error;
  }
}

/** The fields of /proc/PID/stat from the state on, which is the first: the name before it may hold anything. */
function statOf(pid: number | string): string[] | null {
  const stat = procFile(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? null;
}

/** A process and all below it (Linux only). */
function pidsOfTree(pid: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(name);
    if (fields !== null) parents.set(Number(name), Number(fields[1]));
  }
  return [pid, ...childrenOf(pid, parents)];
}

/** Proportional resident memory of a process and all below it, in MB (Linux only): shared pages count once. */
export function memoryOfTreeMb(pid: number): number {
  const total = pidsOfTree(pid).reduce((sum, one) => {
    const rollup = procFile(one, 'smaps_rollup') ?? '';
    return sum + Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  }, 0);
  return total / 1024;
}

const TICKS_PER_SECOND = 100;

/** User and system time of a process and all below it, in seconds (Linux only). */
export function cpuOfTreeSeconds(pid: number): number {
  return pidsOfTree(pid).reduce((sum, one) => {
    const fields = statOf(one);
    return fields === null ? sum : sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
  }, 0);
}
