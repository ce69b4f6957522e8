/** Trajectories as this project writes them: the canonical trajectory, one a row. Nothing is lost but where it was stored. */
import { Trajectory } from '#contracts/trajectory';
import { isObject, without } from '../domain/json.js';
import { BadRow, type Format } from './format.js';

export const jsonl: Format = {
  name: 'jsonl',
  detects: (row) => isObject(row) && Array.isArray(row['steps']) && 'externalId' in row && 'revision' in row,
  read: (row) => {
    const parsed = Trajectory.safeParse(row);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new BadRow(`not a trajectory: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
    }
    if (parsed.data.steps.length === 0) throw new BadRow('the trajectory has no steps');
    // The project, the id and the revision are given anew, and so is where it comes from.
    const { metadata, ...told } = without(parsed.data, 'id', 'projectId', 'revision', 'source');
    return { kind: 'trajectory', trajectory: { ...told, metadata: without(metadata, 'line') } };
  },
};
