import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Entry {
  optionalDependencies?: Record<string, string>;
}

const root = dirname(import.meta.dirname);
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** Where npm looks for `name` from the package at `from`: beside it, then further up. */
function isLocked(from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (`${at === '' ? '' : `${at}/`}node_modules/${name}` in lock.packages) return true;
    if (at === '') return false;
  }
}

describe('the lock file', () => {
  it('names every optional package of every platform: npm ci refuses it otherwise, on all of them', () => {
    const missing = Object.entries(lock.packages).flatMap(([from, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(from, name)),
    );
    expect(missing).toEqual([]);
  });
});
