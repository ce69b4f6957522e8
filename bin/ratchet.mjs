#!/usr/bin/env node
/** `npx ratchet …`: builds what is stale, then runs the command line. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const prepared = spawnSync(process.execPath, [join(root, 'scripts', 'start.mjs'), '--prepare-only'], {
  stdio: 'inherit',
});
if (prepared.status !== 0) process.exit(1);
const cli = join(root, 'dist', 'apps', 'ratchet', 'cli', 'main.js');
const run = spawnSync(process.execPath, ['--enable-source-maps', cli, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(run.status ?? 1);
