import { readFileSync } from 'node:fs';
import { EnvironmentTask, type RolloutTranscript } from '#contracts/environment';
import { workplaceEnvironment } from './environment.js';

interface ScoredOutput {
  id: string;
  human: 'pass' | 'fail';
  reason: string;
  task: EnvironmentTask;
  transcript: RolloutTranscript;
}

const file = JSON.parse(readFileSync(new URL('./verifier-state.scored.json', import.meta.url), 'utf8')) as {
  verifier: string;
  version: string;
  outputs: ScoredOutput[];
};
const environment = workplaceEnvironment();
const verifier = environment.verifiers[file.verifier];

/** Runs the transcript's calls on fresh tables, as the harness did, and asks the verifier. */
function passes({ task, transcript }: ScoredOutput): boolean {
  const session = environment.open(task);
  for (const message of transcript.messages) {
    for (const call of message.tool_calls ?? []) {
      session.callTool(call.function.name, JSON.parse(call.function.arguments) as Record<string, unknown>);
    }
  }
  const result = verifier?.verify(session, transcript);
  return result?.state === 'scored' && result.success;
}

describe('the hand-scored outputs of the verifier `state`', () => {
  const passed = file.outputs.filter(passes);
  const failed = file.outputs.filter((output) => !passes(output));

  it('are for the verifier as it is now', () => {
    expect(file.version).toBe(verifier?.version);
  });

  it('are 50 that it passes and 50 that it fails, each with a reason, none twice', () => {
    expect([passed.length, failed.length]).toEqual([50, 50]);
    expect(file.outputs.every((output) => output.reason.length > 10)).toBe(true);
    expect(new Set(file.outputs.map((output) => JSON.stringify(output.transcript))).size).toBe(100);
  });

  it('admit it: at most 1 of 50 false passes, at most 3 of 50 false fails', () => {
    expect(passed.filter((output) => output.human === 'fail').length).toBeLessThanOrEqual(1);
    expect(failed.filter((output) => output.human === 'pass').length).toBeLessThanOrEqual(3);
  });

  it('cover every slice and every way a run can stop', () => {
    const slices = new Set(file.outputs.map((output) => output.task.slice));
    expect([...slices].sort()).toEqual([...environment.slices].sort());
    const stops = new Set(file.outputs.map((output) => output.transcript.stopReason));
    expect([...stops].sort()).toEqual(['invalid_output', 'step_limit', 'stop']);
  });

  it('never use a held-out task', () => {
    expect(file.outputs.filter((output) => EnvironmentTask.parse(output.task).split === 'heldout')).toEqual(
      [],
    );
  });
});
