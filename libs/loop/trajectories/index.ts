/** Trajectories: what agents did, as received, assembled and stored. */
export { AssemblyModule, TrajectoriesModule } from './trajectories.module.js';
export {
  Trajectories,
  type OutcomePoint,
  type SampleQuery,
  type TrajectoryStats,
} from './trajectories.service.js';
export { TrajectoryAnnotations } from './trajectory-annotations.js';
export { AssemblySweep } from './assembly-sweep.js';
export { MaskingKey } from './masking/masking-key.js';
export { completedTopic } from './completed-feed.js';
export { ImportService, type ImportVerdict } from './import/import.service.js';
export { StreamLink } from './ingest/stream-link.js';
export { topicsOf } from './ingest/topics.js';
export { formatNamed } from './formats/index.js';
export type { ListQuery } from './trajectories.repository.js';
export type { TrajectorySummary } from './trajectory-rows.js';
