import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { z } from 'zod';

import { AppError } from '#kernel/errors';

import { ArtifactStore, type ArtifactStat, type PutOptions } from './artifact-store.js';

const KEY = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*)(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

const entrySchema = z.object({ blob: z.uuid(), sha256: z.string().length(64), sizeBytes: z.number().int() });
type Entry = z.infer<typeof entrySchema>;

/**
 * Artifacts in a folder: the content as `blobs/<id>`, and one small file per key that names it with its hash. Putting that
 * file in place is the one step that makes the key exist, so a crash leaves a key whole or absent.
 */
export class FolderArtifactStore extends ArtifactStore {
  /** @param dir made when missing */
  constructor(private readonly dir: string) {
    super();
  }

  async put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    options: PutOptions = {},
  ): Promise<ArtifactStat> {
    const entryPath = this.entryPath(key);
    const blob = randomUUID();
    await mkdir(join(this.dir, 'blobs'), { recursive: true });
    let isKept = false;
    try {
      const entry = { blob, ...(await writeDurably(this.blobPath(blob), content)) };
      assertAnnounced(key, entry, options.sha256);
      isKept = await this.publish(entryPath, entry);
      const stored = isKept ? entry : await this.entry(key);
      if (stored?.sha256 === entry.sha256) return { key, sizeBytes: entry.sizeBytes, sha256: entry.sha256 };
      throw new AppError('resource.conflict', { public: `The artifact ${key} exists with other content.` });
    } finally {
      if (!isKept) await rm(this.blobPath(blob), { force: true });
    }
  }

  async get(key: string): Promise<Buffer> {
    const entry = await this.entry(key);
    if (entry === undefined)
      throw new AppError('resource.not_found', { public: `There is no artifact ${key}.` });
    const content = await readFile(this.blobPath(entry.blob)).catch(() => Buffer.alloc(0));
    const sha256 = createHash('sha256').update(content).digest('hex');
    if (sha256 === entry.sha256) return content;
    throw new AppError('internal', {
      public: `The artifact ${key} is damaged: its content does not have the hash it was stored with.`,
      detail: { expected: entry.sha256, found: sha256 },
    });
  }

  async stat(key: string): Promise<ArtifactStat | undefined> {
    const entry = await this.entry(key);
    return entry === undefined ? undefined : { key, sizeBytes: entry.sizeBytes, sha256: entry.sha256 };
  }

  async remove(key: string): Promise<void> {
    const entry = await this.entry(key);
    if (entry === undefined) return;
    await rm(this.entryPath(key), { force: true });
    await rm(this.blobPath(entry.blob), { force: true });
  }

  /** Whether the key was free. A link is made only when its name is, so of two writers one wins. */
  private async publish(entryPath: string, entry: Entry): Promise<boolean> {
    const draft = `${entryPath}.${entry.blob}.tmp`;
    await mkdir(dirname(entryPath), { recursive: true });
    try {
      await writeDurably(draft, Buffer.from(JSON.stringify(entry)));
      await syncFolder(join(this.dir, 'blobs'));
      const isFree = await linkIfFree(draft, entryPath);
      await syncFolder(dirname(entryPath));
      return isFree;
    } finally {
      await rm(draft, { force: true });
    }
  }

  private async entry(key: string): Promise<Entry | undefined> {
    const text = await readFile(this.entryPath(key), 'utf8').catch(() => undefined);
    return text === undefined ? undefined : entrySchema.parse(JSON.parse(text));
  }

  private entryPath(key: string): string {
    if (KEY.test(key)) return join(this.dir, 'keys', `${key}.entry`);
    throw new AppError('request.invalid', { public: `${JSON.stringify(key)} is not a key for an artifact.` });
  }

  private blobPath(blob: string): string {
    return join(this.dir, 'blobs', blob);
  }
}

function assertAnnounced(key: string, found: { sha256: string }, announced: string | undefined): void {
  if (announced === undefined || announced === found.sha256) return;
  throw new AppError('request.invalid', {
    public: `The content of ${key} does not have the hash that was announced.`,
    detail: { announced, found: found.sha256 },
  });
}

async function writeDurably(
  path: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'wx');
    for await (const chunk of content instanceof Uint8Array ? [content] : content) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file?.close();
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}

async function linkIfFree(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Makes the new names survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}
