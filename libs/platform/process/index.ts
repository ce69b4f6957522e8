/** Child processes that never outlive their parent, and the lock on the data folder. */
export {
  childScript,
  spawnChild,
  spawnCommand,
  type ChildExit,
  type ChildHandle,
  type SpawnChildOptions,
  type SpawnCommandOptions,
} from './spawn.js';
export { announceReady, readChildConfig } from './child-side.js';
export { clearOrphans, listChildRecords, type ChildRecord } from './child-record.js';
export { acquireHomeLock, type HomeLock } from './home-lock.js';
export { isAlive, processStartToken } from './process-identity.js';
