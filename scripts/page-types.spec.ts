import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const rootDir = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(rootDir, path), 'utf8');

it("has the page's types as openapi.json gives them (npm run docs:openapi writes both anew)", async () => {
  const script = './page-types.mjs';
  const { pageTypesOf } = (await import(script)) as {
    pageTypesOf: (document: string) => Promise<string>;
  };
  const made = await pageTypesOf(read('openapi.json'));
  expect(made).toContain('export interface paths');
  expect(read('apps/web/src/api-types.ts') === made).toBe(true);
});
