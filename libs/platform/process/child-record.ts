import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { z } from 'zod';

import { isAlive, processStartToken } from './process-identity.js';

const childRecordSchema = z.object({
  name: z.string(),
  pid: z.number().int().positive(),
  startToken: z.string(),
});

/** What is written down about a running child, so that the next start can find what a kill left behind. */
export type ChildRecord = z.infer<typeof childRecordSchema>;

const runDir = (homeDir: string): string => join(homeDir, 'run');
const recordPath = (homeDir: string, name: string): string => join(runDir(homeDir), `${name}.json`);

export function writeChildRecord(homeDir: string, name: string, pid: number): void {
  const startToken = processStartToken(pid);
  // Already gone: there is nothing that could be left behind.
  if (startToken === undefined) return;
  mkdirSync(runDir(homeDir), { recursive: true });
  const path = recordPath(homeDir, name);
  writeFileSync(`${path}.tmp`, JSON.stringify({ name, pid, startToken } satisfies ChildRecord));
  renameSync(`${path}.tmp`, path);
}

export function removeChildRecord(homeDir: string, name: string, pid: number): void {
  if (readRecord(recordPath(homeDir, name))?.pid === pid) rmSync(recordPath(homeDir, name), { force: true });
}

/** The children on record, running or not. */
export function listChildRecords(homeDir: string): ChildRecord[] {
  return recordFiles(homeDir)
    .map((path) => readRecord(path))
    .filter((record): record is ChildRecord => record !== undefined);
}

/**
 * Ends the children that an app killed without warning has left in this data folder, each with its process group.
 * A pid that now belongs to another process is left alone. Returns what was ended.
 */
export async function clearOrphans(homeDir: string, graceMs = 2_000): Promise<ChildRecord[]> {
  const orphans = listChildRecords(homeDir).filter((record) => isAlive(record.pid, record.startToken));
  await Promise.all(orphans.map((record) => endProcess(record, graceMs)));
  for (const path of recordFiles(homeDir)) rmSync(path, { force: true });
  return orphans;
}

async function endProcess({ pid, startToken }: ChildRecord, graceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  for (let waitedMs = 0; waitedMs < graceMs && isAlive(pid, startToken); waitedMs += 25) await delay(25);
  if (isAlive(pid, startToken)) signalGroup(pid, 'SIGKILL');
  for (let waitedMs = 0; waitedMs < 5_000 && isAlive(pid, startToken); waitedMs += 25) await delay(25);
}

/** Signals a child and what it started; children lead their own process group. */
export function signalGroup(pid: number, signal: NodeJS.Signals, reach: 'group only' | 'any' = 'any'): void {
  for (const target of reach === 'any' ? [-pid, pid] : [-pid]) {
    try {
      process.kill(target, signal);
      return;
    } catch {
      // No such group (or it is gone): try the process itself, then be done.
    }
  }
}

function recordFiles(homeDir: string): string[] {
  try {
    return readdirSync(runDir(homeDir))
      .filter((file) => file.endsWith('.json'))
      .map((file) => join(runDir(homeDir), file));
  } catch {
    return [];
  }
}

function readRecord(path: string): ChildRecord | undefined {
  try {
    return childRecordSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return undefined;
  }
}
