/** One event of Langfuse's ingestion route: what it is, and whether it can be taken. */
import { z } from 'zod';
import { nsOfIso } from '../../domain/iso-time.js';
import { isDeeperThan, isObject, MAX_JSON_DEPTH } from '../../domain/json.js';

export interface LangfuseEvent {
  id: string;
  type: string;
  /** `log` is what an SDK says of itself. */
  about: 'trace' | 'observation' | 'score' | 'log';
  timestampNs: bigint;
  body: Record<string, unknown>;
}

const OBSERVATIONS = [
  'span',
  'generation',
  'event',
  'agent',
  'tool',
  'chain',
  'retriever',
  'evaluator',
  'embedding',
  'guardrail',
  'observation',
];

const ABOUT: ReadonlyMap<string, LangfuseEvent['about']> = new Map([
  ['trace-create', 'trace'],
  ['score-create', 'score'],
  ['sdk-log', 'log'],
  ...OBSERVATIONS.flatMap((what): [string, 'observation'][] => [
    [`${what}-create`, 'observation'],
    [`${what}-update`, 'observation'],
  ]),
]);

/** An id of Langfuse: at most 800 characters, in one line. */
export const LangfuseId = z
  .string()
  .min(1)
  .max(800)
  .refine((id) => !id.includes('\r'), { error: 'must not hold a carriage return' });

const OptionalId = LangfuseId.nullish();

const Envelope = z.object({
  id: LangfuseId,
  type: z.string().refine((type) => ABOUT.has(type), { error: 'is no event type that is known here' }),
  timestamp: z.string().transform((text, context) => {
    const ns = nsOfIso(text);
    if (ns !== undefined) return ns;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 time' });
    return z.NEVER;
  }),
  body: z.looseObject({
    id: OptionalId,
    traceId: OptionalId,
    parentObservationId: OptionalId,
    observationId: OptionalId,
  }),
});

const Log = z.object({ id: LangfuseId, type: z.literal('sdk-log'), timestamp: z.string() });

/** The event, or what is wrong with it. */
export function readEvent(raw: unknown): LangfuseEvent | { id: string; problem: string } {
  const id = isObject(raw) && typeof raw['id'] === 'string' ? raw['id'] : '';
  if (isDeeperThan(raw, MAX_JSON_DEPTH))
    return { id, problem: `nested deeper than ${MAX_JSON_DEPTH} levels` };
  const log = Log.safeParse(raw);
  if (log.success) return { id, type: 'sdk-log', about: 'log', timestampNs: 0n, body: {} };
  const parsed = Envelope.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { id, problem: `${issue?.path.join('.') || 'event'} ${issue?.message ?? 'has another form'}` };
  }
  const { type, timestamp, body } = parsed.data;
  return { id, type, about: ABOUT.get(type)!, timestampNs: timestamp, body };
}
