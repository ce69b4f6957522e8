/** Logs as events with fields, on standard error. */
export { Log, type LogLevel } from './log.js';
export { NestLog } from './nest-log.js';
export { Metrics } from './metrics.js';
