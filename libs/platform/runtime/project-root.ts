import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that holds the package, found upwards from here: the same from TypeScript source and from `dist`. Data that
 * the build does not copy (SQL files, weights) is read from there.
 */
export function projectRoot(): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(dir, 'package.json'))) {
    const parent = dirname(dir);
    if (parent === dir) throw new Error('no package.json above this program');
    dir = parent;
  }
  return dir;
}
