/** What people and programs said of a run afterwards, joined to its trajectory. Pure; applied again it changes nothing. */
import { contentHash } from '#kernel/ids';
import type { AssembledTrajectory } from './assemble.js';
import type { Outcome, Step } from './contract.js';
import { isObject, without, type JsonObject } from './json.js';

export type FeedbackTarget = 'trajectory' | 'trace' | 'session' | 'step' | 'response';

export interface Feedback {
  id: string;
  targetKind: FeedbackTarget;
  targetId: string;
  /** The step within the target; null for all of it. */
  stepId: string | null;
  name: string;
  value: number | boolean | string;
  comment: string | null;
  /** Who or what gave it: `user`, `reviewer`, `application`, `evaluator` or another name. */
  source: string;
  observedAtNs: string;
  /** Whether the user who gave it was signed in; null where nobody told. */
  authenticatedUser: boolean | null;
  receivedSeq: bigint;
}

/** Metadata of a trajectory that has feedback; a label: no detector sees it. */
const LABEL = 'label.feedback';

const OUTCOME_NAMES = new Set(['outcome', 'success', 'resolved']);
const THUMB_NAMES = new Set([
  'user-feedback',
  'user_feedback',
  'feedback',
  'thumbs',
  'thumbs-up',
  'thumbs_up',
]);
const INTERVENTION_NAMES = new Set(['intervention', 'human_intervention', 'takeover', 'human_takeover']);
const GOOD = new Set(['success', 'pass', 'passed', 'true', 'correct', 'resolved', 'up', 'positive', 'good']);
const BAD = new Set([
  'failure',
  'fail',
  'failed',
  'false',
  'incorrect',
  'unresolved',
  'down',
  'negative',
  'bad',
]);

/**
 * The trajectory with what was said of it: an outcome of source `feedback` (an explicit one stays), a reward where there is
 * none, human interventions as steps, and all of it under `label.feedback`.
 */
export function withFeedback(given: AssembledTrajectory, items: readonly Feedback[]): AssembledTrajectory {
  const bare = withoutFeedback(given);
  if (items.length === 0) return bare;
  const ordered = [...items].sort(byObserved);
  const judged = bare.outcome.source === 'explicit' ? undefined : bestJudgement(ordered);
  return {
    ...bare,
    outcome: judged?.outcome ?? bare.outcome,
    reward: bare.reward ?? rewardOf(ordered),
    steps: withInterventions(bare, ordered),
    metadata: {
      ...bare.metadata,
      [LABEL]: { before: { outcome: bare.outcome, reward: bare.reward }, items: ordered.map(labelOf) },
    },
  };
}

/** The trajectory as it was assembled, out of one that `withFeedback` made. */
function withoutFeedback(trajectory: AssembledTrajectory): AssembledTrajectory {
  const label = trajectory.metadata[LABEL];
  if (!isObject(label) || !isObject(label['before'])) return trajectory;
  const before = label['before'] as unknown as Pick<AssembledTrajectory, 'outcome' | 'reward'>;
  const items = Array.isArray(label['items']) ? (label['items'] as { id: string }[]) : [];
  const added = new Set(items.map(({ id }) => interventionId(trajectory.id, id)));
  return {
    ...trajectory,
    outcome: before.outcome,
    reward: before.reward,
    steps: indexed(trajectory.steps.filter(({ stepId }) => !added.has(stepId))),
    metadata: without(trajectory.metadata, LABEL),
  };
}

interface Judgement {
  outcome: Outcome;
  /** Said of the run itself rather than of its whole session. */
  isOwn: boolean;
}

/** Of the run before of its session; among equals the last word. What an evaluator scored is no outcome. */
function bestJudgement(ordered: readonly Feedback[]): Judgement | undefined {
  const all = ordered.flatMap((item) => judgementOf(item) ?? []);
  return all.findLast(({ isOwn }) => isOwn) ?? all.at(-1);
}

function judgementOf(item: Feedback): Judgement | undefined {
  if (item.stepId !== null || item.targetKind === 'step' || item.targetKind === 'response') return undefined;
  if (item.source === 'evaluator') return undefined;
  const value = verdictOf(item.name.toLowerCase(), item.value);
  if (value === undefined) return undefined;
  const isOwn = item.targetKind !== 'session';
  const trusted = item.authenticatedUser === false ? 0.5 : 0.9;
  return { outcome: { value, source: 'feedback', confidence: isOwn ? trusted : trusted / 2 }, isOwn };
}

function verdictOf(name: string, value: Feedback['value']): 'success' | 'failure' | undefined {
  const isOutcome = OUTCOME_NAMES.has(name);
  if (!isOutcome && !THUMB_NAMES.has(name)) return undefined;
  if (typeof value === 'boolean') return value ? 'success' : 'failure';
  if (typeof value === 'string') {
    const label = value.trim().toLowerCase();
    return GOOD.has(label) ? 'success' : BAD.has(label) ? 'failure' : undefined;
  }
  if (isOutcome) return value >= 1 ? 'success' : 'failure';
  // A thumb has two ends; any other number is of a scale that nobody told.
  return value === 1 ? 'success' : value === 0 || value === -1 ? 'failure' : undefined;
}

function rewardOf(ordered: readonly Feedback[]): number | null {
  const named = ordered.findLast(
    ({ name, value, stepId }) =>
      stepId === null && typeof value === 'number' && ['reward', 'outcome'].includes(name.toLowerCase()),
  );
  return typeof named?.value === 'number' ? named.value : null;
}

/** A person's hand in the run is a step: after the step it is about, else at its time. */
function withInterventions(bare: AssembledTrajectory, ordered: readonly Feedback[]): Step[] {
  const steps = [...bare.steps];
  for (const item of ordered) {
    if (!INTERVENTION_NAMES.has(item.name.toLowerCase())) continue;
    steps.splice(placeOf(item, steps), 0, {
      stepId: interventionId(bare.id, item.id),
      index: 0,
      kind: 'intervention',
      role: 'user',
      content: item.comment ?? String(item.value),
      startNs: item.observedAtNs,
    });
  }
  return indexed(steps);
}

function placeOf(item: Feedback, steps: readonly Step[]): number {
  const about = steps.findIndex(({ stepId }) => stepId === (item.stepId ?? item.targetId));
  if (about >= 0) return about + 1;
  const later = steps.findIndex(
    ({ startNs }) => startNs !== undefined && BigInt(startNs) > BigInt(item.observedAtNs),
  );
  return later < 0 ? steps.length : later;
}

function interventionId(trajectoryId: string, feedbackId: string): string {
  return contentHash(['feedback', trajectoryId, feedbackId], 24);
}

function indexed(steps: readonly Step[]): Step[] {
  return steps.map((step, index) => (step.index === index ? step : { ...step, index }));
}

function labelOf({ receivedSeq: _order, ...item }: Feedback): JsonObject {
  return item;
}

function byObserved(a: Feedback, b: Feedback): number {
  const [x, y] = [BigInt(a.observedAtNs), BigInt(b.observedAtNs)];
  if (x !== y) return x < y ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
