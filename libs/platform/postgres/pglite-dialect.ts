import type { PGlite, Results } from '@electric-sql/pglite';
import {
  CompiledQuery,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';

import { AppError } from '#kernel/errors';

const ACQUIRE_TIMEOUT_MS = 30_000;

/** Kysely on PGlite: PostgreSQL's own compiler and adapter, over the one session that PGlite has. */
export function pgliteDialect(pglite: PGlite): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PGliteDriver(pglite),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
}

/** Hands out the one session to one user at a time: a transaction keeps it to its end. */
class PGliteDriver implements Driver {
  private readonly connection: PGliteConnection;
  private readonly waiting: (() => void)[] = [];
  private isTaken = false;

  constructor(private readonly pglite: PGlite) {
    this.connection = new PGliteConnection(pglite);
  }

  async init(): Promise<void> {
    await this.pglite.waitReady;
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    if (this.isTaken) await this.waitForTurn();
    this.isTaken = true;
    return this.connection;
  }

  releaseConnection(): Promise<void> {
    this.isTaken = false;
    this.waiting.shift()?.();
    return Promise.resolve();
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'));
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'));
  }

  async destroy(): Promise<void> {
    await this.pglite.close();
  }

  private waitForTurn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = (): void => {
        clearTimeout(timer);
        // Taken for the waiter before anybody else can ask.
        this.isTaken = true;
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        reject(
          new AppError('store.unavailable', {
            public: 'The state store is busy. Try again shortly.',
            detail: {
              waitedMs: ACQUIRE_TIMEOUT_MS,
              hint: 'a transaction that uses db instead of its own trx waits for itself',
            },
          }),
        );
      }, ACQUIRE_TIMEOUT_MS);
      this.waiting.push(turn);
    });
  }
}

class PGliteConnection implements DatabaseConnection {
  constructor(private readonly pglite: PGlite) {}

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result: Results<R> = await this.pglite.query<R>(query.sql, [...query.parameters]);
    return { rows: result.rows, numAffectedRows: BigInt(result.affectedRows ?? 0) };
  }

  async *streamQuery(): AsyncIterableIterator<never> {
    throw new AppError('internal', { public: 'Streaming reads of the state store are not supported.' });
  }
}
