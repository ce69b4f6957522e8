import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transform } from '@swc/core';

const swcrc = JSON.parse(
  readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../.swcrc'), 'utf8'),
);

export function resolve(specifier, context, next) {
  const relative =
    specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts');
  if (relative) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(source))) return next(source.href, context);
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(readFileSync(filename, 'utf8'), {
    filename,
    swcrc: false,
    jsc: swcrc.jsc,
    module: swcrc.module,
    sourceMaps: 'inline',
  });
  return { format: 'module', source: code, shortCircuit: true };
}
