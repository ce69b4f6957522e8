/**
 * `npm run docs:openapi`: writes openapi.json as the app describes itself, and the page's types from it.
 * With an address (`-- http://127.0.0.1:4100`) it asks a Ratchet that runs; without one it starts its own.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pageTypesOf } from './page-types.mjs';

const rootDir = join(import.meta.dirname, '..');
/** Built output: not there in a fresh checkout, so no import names it outright. */
const compiled = (path) => pathToFileURL(join(rootDir, 'dist', path)).href;

/** The document of an app of our own, with an empty store. */
async function ownDocument() {
  const { loadConfig } = await import(compiled('libs/platform/config/index.js'));
  const { startRatchet } = await import(compiled('apps/ratchet/start.js'));
  const homeDir = mkdtempSync(join(tmpdir(), 'ratchet-openapi-'));
  const config = loadConfig({
    RATCHET_PORT: '0',
    RATCHET_HOME: homeDir,
    RATCHET_LOG_LEVEL: 'silent',
    RATCHET_SCHEDULE: 'off',
    RATCHET_DEMO: 'off',
    RATCHET_TRAIN: 'off',
  });
  const started = await startRatchet({ config, say: () => undefined, distDir: join(rootDir, 'dist') });
  try {
    return await documentAt(started.url);
  } finally {
    await started.stop();
    rmSync(homeDir, { recursive: true, force: true });
  }
}

async function documentAt(url) {
  const response = await fetch(new URL('/openapi.json', url));
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  return response.json();
}

const [url] = process.argv.slice(2);
const document = await (url === undefined ? ownDocument() : documentAt(url));
const documentPath = join(rootDir, 'openapi.json');
writeFileSync(documentPath, `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(
  join(rootDir, 'apps/web/src/api-types.ts'),
  await pageTypesOf(readFileSync(documentPath, 'utf8')),
);
