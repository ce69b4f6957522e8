/** One turn of the loop, as the API shows it: every stage, its evidence and the verdict (design §9). */
import { z } from 'zod';

export const CYCLE_STAGES = [
  'buckets',
  'suites',
  'baseline',
  'plan',
  'python',
  'training',
  'admission',
  'evidence',
  'gate',
  'promotion',
] as const;
export const CycleStageName = z.enum(CYCLE_STAGES);
export type CycleStageName = z.infer<typeof CycleStageName>;

export const CycleStage = z.object({
  name: CycleStageName,
  state: z.enum(['pending', 'running', 'done', 'skipped', 'failed']),
  startedAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  /** 0..1 where the stage can tell. */
  progress: z.number().nullable(),
  /** One plain line of what happens or happened. */
  summary: z.string().nullable(),
  evidence: z.unknown().nullable(),
});
export type CycleStage = z.infer<typeof CycleStage>;

export const CycleVerdict = z.enum(['promoted', 'blocked', 'failed']);

export const Cycle = z.object({
  id: z.string(),
  projectId: z.string(),
  agent: z.string(),
  recipe: z.string(),
  trigger: z.enum(['manual', 'schedule', 'demo']),
  seed: z.number().int(),
  state: z.enum(['queued', 'running', 'done', 'failed']),
  verdict: CycleVerdict.nullable(),
  reason: z.string().nullable(),
  stages: z.array(CycleStage),
  trainingRunId: z.string().nullable(),
  candidateId: z.string().nullable(),
  gateReportId: z.string().nullable(),
  createdAt: z.string(),
  endedAt: z.string().nullable(),
});
export type Cycle = z.infer<typeof Cycle>;

/** Job of kind `cycle.turn`; its key is the cycle's id. */
export const CYCLE_JOB = 'cycle.turn';
export const CycleJob = z.object({ cycleId: z.string() });
