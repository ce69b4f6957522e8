/** The trajectory and metric store: ClickHouse, as a server or embedded. */
export { ClickHouse, type ConnectOptions, type EmbeddedOptions, type InsertOptions } from './clickhouse.js';
export { defineQuery, type QueryDefinition } from './define-query.js';
export { migrateClickHouse, splitStatements } from './migrate.js';
export { isRowRefusal } from './refusal.js';
export { ChBigInt, ChBool, ChDateTime, ChFloat, ChInt, ChUInt } from './types.js';
