import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { z } from 'zod';

import { AppError, messageOf } from '#kernel/errors';

import { isAlive, processStartToken } from './process-identity.js';

export interface HomeLock {
  release(): void;
}

const lockSchema = z.object({ pid: z.number().int(), startToken: z.string() });
const ATTEMPTS = 5;

/**
 * Makes this process the only owner of a data folder (made when missing). A lock whose owner no longer runs is taken over.
 * @throws AppError `resource.conflict` when another app runs on the folder, `config.invalid` when it cannot be written.
 */
export function acquireHomeLock(homeDir: string): HomeLock {
  const path = join(homeDir, 'ratchet.lock');
  const own = JSON.stringify({ pid: process.pid, startToken: processStartToken(process.pid) ?? '' });
  const draft = `${path}.${process.pid}`;
  writeOwnable(homeDir, draft, own);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (tryLink(draft, path)) return { release: () => releaseIfOwn(path, own) };
      const found = readIfThere(path);
      if (found === undefined) continue;
      const owner = parseLock(found);
      if (owner !== undefined && isAlive(owner.pid, owner.startToken)) throw inUse(homeDir, owner.pid);
      setAside(path, found);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new AppError('resource.conflict', {
    public: `Several apps try to start on the data folder ${homeDir} at once.`,
  });
}

function inUse(homeDir: string, pid: number): AppError {
  return new AppError('resource.conflict', {
    public:
      `Ratchet already runs on the data folder ${homeDir} (process ${pid}). ` +
      'Stop it first, or set RATCHET_HOME to another folder and RATCHET_PORT to another port.',
    detail: { pid },
  });
}

function writeOwnable(homeDir: string, draft: string, text: string): void {
  try {
    mkdirSync(homeDir, { recursive: true });
    writeFileSync(draft, text);
  } catch (error) {
    throw new AppError('config.invalid', {
      public: `The data folder ${homeDir} cannot be written (${messageOf(error)}). Set RATCHET_HOME to a folder that you own.`,
      cause: error,
    });
  }
}

/** A link is made only when the name is free, so of two apps one wins. */
function tryLink(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale lock away; when another app replaced it in the meantime, its lock is put back. */
function setAside(path: string, seen: string): void {
  const aside = `${path}.stale.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return;
  }
  if (readIfThere(aside) !== seen) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function releaseIfOwn(path: string, own: string): void {
  if (readIfThere(path) === own) rmSync(path, { force: true });
}

function parseLock(text: string): z.infer<typeof lockSchema> | undefined {
  try {
    return lockSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
