import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sha256 } from '#kernel/sha256';

import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { FolderArtifactStore } from './index.js';

const bytes = (text: string): Buffer => Buffer.from(text);

async function* chunks(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) {
    await Promise.resolve();
    yield bytes(text);
  }
}

afterAll(removeTempDirs);

describe('artifacts in a folder', () => {
  it('come back as they were put, from bytes or from a stream', async () => {
    const store = new FolderArtifactStore(tempDir());
    const put = await store.put('runs/r1/adapter.safetensors', chunks('ab', 'cd'));
    expect(put).toEqual({ key: 'runs/r1/adapter.safetensors', sizeBytes: 4, sha256: sha256('abcd') });
    expect(await store.stat('runs/r1/adapter.safetensors')).toEqual(put);
    expect((await store.get('runs/r1/adapter.safetensors')).toString()).toBe('abcd');
    await expect(store.get('runs/r1/other')).rejects.toMatchObject({ code: 'resource.not_found' });
  });

  it('never change: the same content again is fine, other content is refused', async () => {
    const store = new FolderArtifactStore(tempDir());
    await store.put('k', bytes('one'));
    await store.put('k', bytes('one'));
    await expect(store.put('k', bytes('two'))).rejects.toMatchObject({ code: 'resource.conflict' });
    expect((await store.get('k')).toString()).toBe('one');
  });

  it('have one winner when two writers put different content at once', async () => {
    const dir = tempDir();
    const store = new FolderArtifactStore(dir);
    const contents = Array.from({ length: 8 }, (_, i) => `content ${i}`);
    const results = await Promise.allSettled(contents.map((content) => store.put('k', bytes(content))));
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    expect(contents).toContain((await store.get('k')).toString());
    expect(readdirSync(join(dir, 'blobs'))).toHaveLength(1);
    expect(readdirSync(join(dir, 'keys'))).toHaveLength(1);
  });

  it('leave nothing behind when the announced hash is wrong or the source fails', async () => {
    const dir = tempDir();
    const store = new FolderArtifactStore(dir);
    await expect(store.put('k', bytes('x'), { sha256: sha256('y') })).rejects.toMatchObject({
      code: 'request.invalid',
    });
    const failing = (async function* () {
      yield* chunks('half');
      throw new Error('source broke');
    })();
    await expect(store.put('k', failing)).rejects.toThrow('source broke');
    expect(await store.stat('k')).toBeUndefined();
    expect(readdirSync(join(dir, 'blobs'))).toEqual([]);
  });

  it('that were damaged on disk are refused', async () => {
    const dir = tempDir();
    const store = new FolderArtifactStore(dir);
    await store.put('k', bytes('good'));
    const { blob } = JSON.parse(readFileSync(join(dir, 'keys', 'k.entry'), 'utf8')) as { blob: string };
    writeFileSync(join(dir, 'blobs', blob), 'evil');
    await expect(store.get('k')).rejects.toThrow(/damaged/);
  });

  it('go away whole', async () => {
    const dir = tempDir();
    const store = new FolderArtifactStore(dir);
    await store.put('a/b', bytes('x'));
    await store.remove('a/b');
    await store.remove('a/b');
    expect(await store.stat('a/b')).toBeUndefined();
    expect(readdirSync(join(dir, 'blobs'))).toEqual([]);
  });

  it.each(['../escape', '/abs', 'a/../b', '.hidden', 'a//b', '', 'a b'])(
    'have no key like %j',
    async (key) => {
      const store = new FolderArtifactStore(tempDir());
      await expect(store.put(key, bytes('x'))).rejects.toMatchObject({ code: 'request.invalid' });
    },
  );
});
