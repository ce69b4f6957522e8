/** The filters of lists and exports alike, as a query says them. */
import { z } from 'zod';
import { FailureCategory } from '#contracts/failure';
import type { TrajectoryAnnotations } from './trajectory-annotations.js';
import type { ListQuery } from './trajectories.repository.js';

const Instant = z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T00:00:00Z' });

export const TrajectoryFilters = z.strictObject({
  agent: z.string().optional(),
  outcome: z.enum(['success', 'failure', 'unknown']).optional(),
  category: FailureCategory.optional(),
  bucketId: z.string().optional(),
  since: Instant.optional(),
  until: Instant.optional(),
  q: z.string().max(500).optional(),
});
export type TrajectoryFilters = z.output<typeof TrajectoryFilters>;

/** What a later stage knows (category, bucket) becomes ids. */
export async function listQueryOf(
  projectId: string,
  filters: TrajectoryFilters,
  annotations: TrajectoryAnnotations,
): Promise<Omit<ListQuery, 'cursor' | 'limit'>> {
  const { agent, outcome, category, bucketId, since, until, q } = filters;
  const narrowed = category !== undefined || bucketId !== undefined;
  const ids = narrowed ? await annotations.idsWith(projectId, { category, bucketId }) : undefined;
  return { projectId, agent, outcome, q, ids, sinceMs: msOf(since), untilMs: msOf(until) };
}

function msOf(instant: string | undefined): number | undefined {
  return instant === undefined ? undefined : Date.parse(instant);
}
