/** What most recorded runs leave unsaid: no gateway saw them, no trace, no price. */
import { UNKNOWN_OUTCOME } from '../domain/outcome.js';
import type { Outcome } from '../domain/contract.js';
import { definedOnly } from '../domain/json.js';
import type { RowTrajectory } from './format.js';

type Said = Pick<RowTrajectory, 'externalId' | 'agent' | 'steps'> & Partial<RowTrajectory>;

/** A recorded run from what its row says; the rest is unknown, which is null and never 0. */
export function runOf(said: Said): RowTrajectory {
  return {
    agentRef: null,
    policy: null,
    sessionId: null,
    traceId: null,
    outcome: UNKNOWN_OUTCOME,
    reward: null,
    tools: [],
    metadata: {},
    usage: { inputTokens: null, outputTokens: null },
    costUsd: null,
    ...said,
  };
}

/** An outcome that the benchmark's own environment decided; anything but a yes or no is unknown. */
export function judgedOutcome(success: unknown): Outcome {
  if (typeof success !== 'boolean') return UNKNOWN_OUTCOME;
  return { value: success ? 'success' : 'failure', source: 'environment', confidence: 1 };
}

/** Members under their own names, and those that tell the answer under `label.`; absent ones stay absent. */
export function metadataOf(
  own: Record<string, unknown>,
  labels: Record<string, unknown> = {},
): Record<string, unknown> {
  const labelled = Object.entries(labels).map(([key, value]) => [`label.${key}`, value]);
  return definedOnly({ ...own, ...Object.fromEntries(labelled) });
}
