import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeTempDirs, tempDir } from '../../../test/support/temp-dir.js';
import { EvaluatorKey } from './evaluator-key.js';

afterAll(removeTempDirs);

it('is made once, readable by its owner alone, and is the same at the next start', () => {
  const home = join(tempDir(), 'new');
  const sealed = EvaluatorKey.open(home).seal('{"a":1}', 'here');
  expect(statSync(join(home, 'evaluator.key')).mode & 0o777).toBe(0o600);
  expect(EvaluatorKey.open(home).unseal(sealed, 'here')).toBe('{"a":1}');
  expect(sealed).not.toContain('"a"');
});

it('opens nothing with another key, at another place, or changed', () => {
  const key = EvaluatorKey.ephemeral();
  const sealed = key.seal('secret', 'here');
  const at = Math.floor(sealed.length / 2);
  const changed = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
  for (const open of [
    () => EvaluatorKey.ephemeral().unseal(sealed, 'here'),
    () => key.unseal(sealed, 'there'),
    () => key.unseal(changed, 'here'),
    () => key.unseal('{"clear":"text"}', 'here'),
  ]) {
    expect(open).toThrow('cannot be opened');
  }
});

it('a damaged key file is refused with a plain word, not replaced', () => {
  const home = tempDir();
  writeFileSync(join(home, 'evaluator.key'), 'nonsense');
  expect(() => EvaluatorKey.open(home)).toThrow('is no evaluator key');
  expect(readFileSync(join(home, 'evaluator.key'), 'utf8')).toBe('nonsense');
});

it('two seals of one text differ, and seeds depend on key and name', () => {
  const key = EvaluatorKey.ephemeral();
  expect(key.seal('x', 'p')).not.toBe(key.seal('x', 'p'));
  expect(key.seedOf('a')).toBe(key.seedOf('a'));
  expect(key.seedOf('a')).not.toBe(key.seedOf('b'));
});
