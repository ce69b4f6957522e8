import type { Trajectory } from '#contracts/trajectory';
import type { ListQuery } from '../trajectories.repository.js';
import type { Trajectories } from '../trajectories.service.js';

/** Heads of trajectories read at once, and steps read at once with them: what an export holds in memory. */
const PAGE = 200;
const STEPS_AT_ONCE = 2_000;
const TRAJECTORIES_AT_ONCE = 50;

/** All that match, newest first, through the same pages as the list: each once, in the revision it has when it is read. */
export async function* exportedTrajectories(
  trajectories: Trajectories,
  query: Omit<ListQuery, 'cursor' | 'limit'>,
): AsyncGenerator<Trajectory> {
  let cursor: string | undefined;
  do {
    const page = await trajectories.list({ ...query, cursor, limit: PAGE });
    for (const ids of portionsOf(page.items)) {
      const found = await trajectories.getMany(query.projectId, ids);
      const byId = new Map(found.map((trajectory) => [trajectory.id, trajectory]));
      for (const id of ids) {
        const trajectory = byId.get(id);
        byId.delete(id);
        if (trajectory !== undefined) yield trajectory;
      }
    }
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

function portionsOf(items: readonly { id: string; stepCount: number }[]): string[][] {
  const portions: string[][] = [];
  let steps = 0;
  for (const { id, stepCount } of items) {
    const last = portions.at(-1);
    steps += stepCount;
    if (last !== undefined && last.length < TRAJECTORIES_AT_ONCE && steps <= STEPS_AT_ONCE) last.push(id);
    else {
      portions.push([id]);
      steps = stepCount;
    }
  }
  return portions;
}
