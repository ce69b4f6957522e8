/** What the process gives to pure code: the wall clock and ids made from it and from secure random bytes. */
export { SystemClock } from './system-clock.js';
export { IdSource } from './id-source.js';
export { projectRoot } from './project-root.js';
export { Repeating } from './repeating.js';
