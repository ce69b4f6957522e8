import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Text that tells a process apart from a later one with the same pid: when it was started, and in which boot.
 * Undefined when no such process runs (a zombie counts as gone). Linux reads /proc; elsewhere `ps` is asked.
 */
export function processStartToken(pid: number): string | undefined {
  return process.platform === 'linux' ? linuxStartToken(pid) : psStartToken(pid);
}

/** Whether the very process that had `startToken` still runs. */
export function isAlive(pid: number, startToken: string): boolean {
  return processStartToken(pid) === startToken;
}

function linuxStartToken(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The command name is in parentheses and may itself hold spaces and parentheses: count the fields after the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  if (state === 'Z' || state === 'X' || startTicks === undefined) return undefined;
  const bootId = readText('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
  return `${bootId}:${startTicks}`;
}

function psStartToken(pid: number): string | undefined {
  try {
    const text = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = 'Z', ...started] = text.split(/\s+/);
    return state.startsWith('Z') ? undefined : started.join(' ');
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
