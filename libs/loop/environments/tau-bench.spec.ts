import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { FailureCategory } from '#contracts/failure';
import type { Trajectory } from '#contracts/trajectory';
import { freezeCase, splitOf, type FrozenCase } from '#loop/evals';
import { formatNamed } from '#loop/trajectories';
import { nextActionEnvironment } from './domain/next-action.js';
import { proveEnvironment } from './domain/self-proof.js';

const FILE = new URL(
  '../../../../shared/data/tau-bench-airline/gpt-4o-airline.tasks-00-24.json.gz',
  import.meta.url,
);
const onData = existsSync(FILE) ? it : it.skip;

function failedRuns(): Trajectory[] {
  const rows = JSON.parse(gunzipSync(readFileSync(FILE)).toString('utf8')) as unknown[];
  return rows.flatMap((row, i) => {
    const read = formatNamed('tau-bench')?.read(row);
    if (read?.kind !== 'trajectory' || read.trajectory.reward !== 0) return [];
    const stored = {
      id: `run-${i}`,
      projectId: 'p',
      revision: 1,
      source: 'tau-bench',
      startedAtNs: '0',
      endedAtNs: '0',
    };
    return [{ ...read.trajectory, ...stored }];
  });
}

/** Where a plain rule would see the fault: the first tool error, else the last turn of the agent. */
function faultOf({ steps }: Trajectory): { category: FailureCategory; detail: null; stepIndex: number } {
  const error = steps.findIndex((step) => step.role === 'tool' && step.content?.startsWith('Error'));
  if (error >= 0) return { category: 'execution_error', detail: null, stepIndex: error };
  return {
    category: 'wrong_answer',
    detail: null,
    stepIndex: steps.findLastIndex((step) => step.role === 'assistant'),
  };
}

onData(
  'every failed real run gives a case or a reason, and the cases make an environment that proves itself',
  () => {
    const runs = failedRuns();
    expect(runs).toHaveLength(69);
    const made = runs.map((run) => freezeCase(run, faultOf(run)));
    const cases = made.filter((each): each is FrozenCase => 'checker' in each);
    expect(cases).toHaveLength(69);
    for (const { prefix, trajectoryId } of cases) {
      const run = runs.find((each) => each.id === trajectoryId);
      expect(prefix.map((message) => message.content)).toEqual(
        run?.steps.slice(0, prefix.length).map((step) => step.content),
      );
      expect(prefix.at(-1)?.role).not.toBe('assistant');
    }
    const ready = cases.filter((each) => each.status === 'ready');
    expect(ready.length).toBeGreaterThan(0);
    expect(ready.length).toBeLessThan(cases.length);
    expect(ready.every((each) => each.checker.type === 'expected_call')).toBe(true);
    expect(new Set(cases.map((each) => each.lineageKey)).size).toBeLessThanOrEqual(25);
    const environment = nextActionEnvironment(
      'tau-bench-next-action',
      cases.map((frozen) => ({ split: splitOf(frozen.lineageKey, 'key'), frozen })),
    );
    expect(proveEnvironment(environment)).toMatchObject({ ok: true, problems: [] });
  },
);
