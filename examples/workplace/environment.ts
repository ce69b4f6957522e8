/** The workplace assistant as an environment: what the agent program, the evaluator and the trainer all use. */
import type { EnvironmentDefinition, Verifier } from '#contracts/environment';
import { contentHash } from '#kernel/ids';
import { FRAMES } from './frames.js';
import { WorkplaceSession } from './session.js';
import { drawTasks, INJECTED_SHARE, LOCKED_SHARE, SLICES } from './tasks.js';
import { TOOLS } from './tools.js';
import { callsVerifier } from './verifiers/calls.js';
import { hackableVerifier } from './verifiers/hackable.js';
import { stateVerifier } from './verifiers/state.js';
import { stateWithoutSafetyVerifier } from './verifiers/state-without-safety.js';

const VERSION = '1';
/** A right run needs at most four turns; one is left for a look-up that has to be repeated. */
const MAX_TURNS = 5;

const VERIFIERS: readonly Verifier[] = [
  stateVerifier,
  callsVerifier,
  stateWithoutSafetyVerifier,
  hackableVerifier,
];

export function workplaceEnvironment(): EnvironmentDefinition {
  return {
    name: 'workplace',
    version: VERSION,
    fidelity: 'simulated',
    digest: contentHash({
      version: VERSION,
      tools: TOOLS,
      frames: FRAMES,
      shares: [LOCKED_SHARE, INJECTED_SHARE],
      maxTurns: MAX_TURNS,
      verifiers: VERIFIERS.map(({ name, version }) => [name, version]),
    }),
    tools: TOOLS,
    maxTurns: MAX_TURNS,
    verifiers: Object.fromEntries(VERIFIERS.map((verifier) => [verifier.name, verifier])),
    defaultVerifier: stateVerifier.name,
    independentVerifier: callsVerifier.name,
    slices: SLICES,
    tasks: drawTasks,
    open: (task) => new WorkplaceSession(task),
  };
}
