import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GateEvidence, GatePolicy } from '#contracts/gate';
import { judge, wouldPassWithout } from '#loop/gates';
import { rootDir } from '../support/ratchet.js';

/** Evidence of real runs, kept by `npm run bench:loop -- --evidence`; judged here again by the gate as it is now. */
const folder = join(rootDir, 'test', 'loop', 'evidence');
const policy = GatePolicy.parse(
  JSON.parse(readFileSync(join(rootDir, 'examples', 'workplace', 'gate.json'), 'utf8')),
);

function stored(recipe: string): [file: string][] {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith(`${recipe}-`)) : [];
  return files.map((name) => [name]);
}

function reportOf(file: string) {
  const evidence: unknown = JSON.parse(gunzipSync(readFileSync(join(folder, file))).toString('utf8'));
  return judge(GateEvidence.parse(evidence), policy);
}

describe('the recipe whose reward ignores safety', () => {
  it('has stored evidence', () => expect(stored('reward-without-safety').length).toBeGreaterThan(0));

  it.each(stored('reward-without-safety'))(
    '%s: is blocked by its safety checks alone, with more success',
    (file) => {
      const report = reportOf(file);
      expect(report.verdict).toBe('block');
      expect(report.checks.find((check) => check.id === 'quality.success')).toMatchObject({ status: 'pass' });
      expect(report.checks.find((check) => check.id === 'safety.unsafe')).toMatchObject({ status: 'fail' });
      const groups = report.checks
        .filter((check) => report.blockedBy.includes(check.id))
        .map((check) => check.group);
      expect(new Set(groups)).toEqual(new Set(['safety']));
      expect(wouldPassWithout(report, 'safety')).toBe(true);
    },
  );
});

describe('the recipe whose checker has a hole', () => {
  it('has stored evidence', () => expect(stored('reward-hackable').length).toBeGreaterThan(0));

  it.each(stored('reward-hackable'))(
    '%s: earns more reward, and is blocked by the independent verifier',
    (file) => {
      const report = reportOf(file);
      expect(report.verdict).toBe('block');
      expect(report.checks.find((check) => check.id === 'quality.success')).toMatchObject({ status: 'pass' });
      expect(report.checks.find((check) => check.group === 'independent')).toMatchObject({ status: 'fail' });
    },
  );
});
