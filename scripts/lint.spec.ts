import { dirname, join } from 'node:path';
import { ESLint } from 'eslint';

const root = dirname(import.meta.dirname);
const eslint = new ESLint({ cwd: root });

/** Rule → the file that is replaced by a text which breaks it. Typed rules need a file that the project knows. */
const PLANTED: [rule: string, file: string, text: string][] = [
  ['no-restricted-properties', 'libs/loop/gates/index.ts', 'export const home = process.env.HOME;'],
  ['no-restricted-properties', 'libs/kernel/ids.ts', 'export const now = Date.now();'],
  ['no-restricted-properties', 'libs/loop/gates/domain/judge.ts', 'export const dice = Math.random();'],
  ['no-restricted-properties', 'libs/loop/gates/domain/judge.ts', 'export const home = process.env.HOME;'],
  ['no-restricted-properties', 'apps/api/api.module.ts', 'export const key = process.env.KEY;'],
  ['no-restricted-imports', 'libs/loop/gates/index.ts', "import pg from 'pg';\nexport const pool = pg.Pool;"],
  ['no-console', 'libs/loop/gates/index.ts', "console.log('x');"],
  ['no-empty', 'libs/loop/gates/index.ts', 'try {\n  JSON.parse("x");\n} catch {}'],
  ['@typescript-eslint/no-explicit-any', 'libs/loop/gates/index.ts', 'export const x: any = 1;'],
  [
    '@typescript-eslint/no-floating-promises',
    'libs/loop/gates/index.ts',
    'Promise.reject(new Error());\nexport {};',
  ],
];

describe('the lint rules', () => {
  it.each(PLANTED)('%s is red when broken in %s', async (rule, file, text) => {
    const [result] = await eslint.lintText(`${text}\n`, { filePath: join(root, file) });
    expect(result?.messages.filter(({ fatal }) => fatal)).toEqual([]);
    const errors = result?.messages.filter(({ severity }) => severity === 2) ?? [];
    expect(errors.map(({ ruleId }) => ruleId)).toContain(rule);
  });
});
