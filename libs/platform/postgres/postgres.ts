import { Kysely, PostgresDialect, sql, type RawBuilder } from 'kysely';
import pg from 'pg';

import { AppError, messageOf } from '#kernel/errors';

import { openEmbedded } from './embedded.js';
import { pgliteDialect } from './pglite-dialect.js';
import { keepText, OID, parseInt8, parseTimestamp } from './value-types.js';

export interface PostgresServerOptions {
  url: string;
  maxConnections?: number;
  /** Errors of idle connections; the pool replaces them by itself. */
  onError?: (error: Error) => void;
}

/** Control state: a PostgreSQL server, or PGlite in this process; one dialect, one set of migrations, equal values. */
export class Postgres {
  private constructor(
    private readonly kysely: Kysely<unknown>,
    readonly kind: 'embedded' | 'server',
  ) {}

  /**
   * Opens PGlite on `<homeDir>/postgres`, made when missing. One process at a time: hold the lock of the data folder.
   * @throws AppError `store.unavailable` when the folder cannot be made or opened.
   */
  static async startEmbedded({ homeDir }: { homeDir: string }): Promise<Postgres> {
    return new Postgres(new Kysely({ dialect: pgliteDialect(await openEmbedded(homeDir)) }), 'embedded');
  }

  /** Connects to a server. Nothing is sent until the first call; use `ping`. */
  static connect({ url, maxConnections = 10, onError }: PostgresServerOptions): Postgres {
    const pool = new pg.Pool({
      connectionString: url,
      max: maxConnections,
      application_name: 'ratchet',
      options: '-c timezone=UTC',
      connectionTimeoutMillis: 10_000,
      types: { getTypeParser: serverTypeParser },
    });
    pool.on('error', (error) => onError?.(error));
    return new Postgres(new Kysely({ dialect: new PostgresDialect({ pool }) }), 'server');
  }

  /** The query builder, seen as holding the tables `T` of the stage that asks. */
  tables<T>(): Kysely<T> {
    return this.kysely as unknown as Kysely<T>;
  }

  /** @throws AppError `store.unavailable` when it does not answer. */
  async ping(): Promise<void> {
    try {
      await sql`select 1`.execute(this.kysely);
    } catch (error) {
      throw new AppError('store.unavailable', {
        public: 'The state store does not answer. Check RATCHET_DATABASE_URL and that PostgreSQL runs.',
        detail: { message: messageOf(error) },
        cause: error,
      });
    }
  }

  async close(): Promise<void> {
    await this.kysely.destroy();
  }
}

function serverTypeParser(oid: number, format?: 'text' | 'binary'): (text: string) => unknown {
  if (oid === OID.int8) return parseInt8;
  if (oid === OID.timestamp || oid === OID.timestamptz) return parseTimestamp;
  if (oid === OID.date) return keepText;
  return pg.types.getTypeParser(oid, format ?? 'text') as (text: string) => unknown;
}

/** A value for a jsonb column. Needed for lists and plain strings, which drivers otherwise send as something else. */
export function jsonb<T>(value: T): RawBuilder<T> {
  return sql<T>`${JSON.stringify(value)}::text::jsonb`;
}

/** Whether a statement failed because a row with this key exists already. */
export function isUniqueViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === '23505';
}
