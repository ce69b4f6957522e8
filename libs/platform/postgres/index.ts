/** Control state: PostgreSQL through Kysely, as a server or embedded. */
export { isUniqueViolation, jsonb, Postgres, type PostgresServerOptions } from './postgres.js';
export { migratePostgres } from './migrate.js';
export { releaseLease, tryLease, type Lease } from './lease.js';
