/** Langfuse's scores ↔ feedback. */

import { z } from 'zod';
import type { Feedback } from '../../domain/feedback.js';
import { nsOfIso } from '../../domain/iso-time.js';
import { hexOf } from '../../domain/langfuse-spans.js';
import { spanStepIdOf } from '../../domain/steps.js';
import type { NewFeedback } from '../../feedback/feedback.repository.js';
import { LangfuseId } from './events.js';

const ScoreBody = z.object({
  id: LangfuseId.nullish(),
  traceId: LangfuseId.nullish(),
  sessionId: LangfuseId.nullish(),
  observationId: LangfuseId.nullish(),
  name: z.string().min(1).max(500),
  value: z.union([z.number(), z.string().max(100_000), z.boolean()]),
  dataType: z.enum(['NUMERIC', 'CATEGORICAL', 'BOOLEAN', 'TEXT', 'CORRECTION']).nullish(),
  comment: z.string().max(100_000).nullish(),
  source: z.string().max(64).nullish(),
  timestamp: z.string().nullish(),
});
type ScoreBody = z.output<typeof ScoreBody>;

/** A score of any sender → feedback, or what is wrong with it. */
export function readScore(
  raw: unknown,
  event: { id: string; timestampNs: bigint },
): NewFeedback | { problem: string } {
  const parsed = ScoreBody.safeParse(raw);
  if (parsed.success) return feedbackOf(parsed.data, event);
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join('.') || 'score'} ${issue?.message ?? 'has another form'}` };
}

/** Feedback, or why it is none: a score of a dataset run has nothing here to be about. */
function feedbackOf(
  score: ScoreBody,
  event: { id: string; timestampNs: bigint },
): NewFeedback | { problem: string } {
  const place = placeOf(score);
  if (place === undefined) return { problem: 'a score needs a traceId or a sessionId' };
  return {
    ...place,
    id: score.id ?? event.id,
    name: score.dataType === 'CORRECTION' ? 'correction' : score.name,
    value: score.dataType === 'BOOLEAN' && typeof score.value === 'number' ? score.value !== 0 : score.value,
    comment: score.comment ?? null,
    source: SOURCES.get(score.source?.toUpperCase()) ?? 'application',
    observedAtNs: (nsOfIso(score.timestamp) ?? event.timestampNs).toString(),
    authenticatedUser: null,
  };
}

const SOURCES: ReadonlyMap<string | undefined, string> = new Map([
  ['EVAL', 'evaluator'],
  ['ANNOTATION', 'reviewer'],
]);

function placeOf(score: ScoreBody): Pick<NewFeedback, 'targetKind' | 'targetId' | 'stepId'> | undefined {
  if (typeof score.traceId === 'string') {
    const traceId = traceIdOf(score.traceId);
    const { observationId } = score;
    const stepId = typeof observationId === 'string' ? spanStepIdOf(traceId, hexOf(observationId, 16)) : null;
    return { targetKind: 'trace', targetId: traceId, stepId };
  }
  if (typeof score.sessionId !== 'string') return undefined;
  return { targetKind: 'session', targetId: score.sessionId, stepId: null };
}

/** The id that our spans have for a trace of Langfuse. */
export function traceIdOf(langfuseTraceId: string): string {
  return hexOf(langfuseTraceId, 32);
}

/** As Langfuse's clients read a score. */
export function scoreOf(projectId: string, item: Feedback): Record<string, unknown> {
  const at = new Date(Number(BigInt(item.observedAtNs) / 1_000_000n)).toISOString();
  const { value } = item;
  return {
    id: item.id,
    projectId,
    environment: 'default',
    ...(item.targetKind === 'session' ? { sessionId: item.targetId } : { traceId: item.targetId }),
    name: item.name,
    dataType: typeof value === 'number' ? 'NUMERIC' : typeof value === 'boolean' ? 'BOOLEAN' : 'CATEGORICAL',
    value: typeof value === 'boolean' ? Number(value) : typeof value === 'number' ? value : 0,
    ...(typeof value === 'number'
      ? {}
      : { stringValue: typeof value === 'string' ? value : value ? 'True' : 'False' }),
    comment: item.comment,
    source: item.source === 'evaluator' ? 'EVAL' : item.source === 'reviewer' ? 'ANNOTATION' : 'API',
    timestamp: at,
    createdAt: at,
    updatedAt: at,
    metadata: {},
  };
}
