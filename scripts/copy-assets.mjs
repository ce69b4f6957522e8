/** Files beside the code that the compiler does not copy: SQL, JSON examples and loaders. */
import { cpSync, existsSync } from 'node:fs';

const KEPT = /\.(sql|json|mjs|proto)$/;
for (const folder of ['libs', 'examples', 'migrations']) {
  if (!existsSync(folder)) continue;
  cpSync(folder, `dist/${folder}`, {
    recursive: true,
    filter: (source) => !source.includes('.spec.') && (!/\.[^/]+$/.test(source) || KEPT.test(source)),
  });
}
