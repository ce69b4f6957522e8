/** Logs are events with fields, never prose with ids inside. */
export { Log, silentLog, type LogLevel } from './log.js';
