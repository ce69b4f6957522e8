import { spawn } from 'node:child_process';

export interface BoundServer {
  /** Ends the server at once, as a power cut would, and waits for its end. */
  kill(): Promise<void>;
}

/** Waits until this process lets go of its standard input, by `kill` or by its own end, however it ends. */
const WATCH = '"$@" & pid=$!; cat > /dev/null; kill -9 $pid 2> /dev/null; wait $pid 2> /dev/null';

/** Starts a server that never outlives this process, even where that is killed. */
export function spawnBound(program: string, args: readonly string[], cwd?: string): BoundServer {
  const watcher = spawn('sh', ['-c', WATCH, 'sh', program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const ended = new Promise<void>((resolve) => watcher.once('exit', () => resolve()));
  return {
    kill: () => {
      watcher.stdin.end();
      return ended;
    },
  };
}
