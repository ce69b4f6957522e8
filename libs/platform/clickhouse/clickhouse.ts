import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

import { ClickHouseError, createClient, type ClickHouseClient } from '@clickhouse/client';
import { z } from 'zod';

import { AppError, messageOf } from '#kernel/errors';
import { childScript, spawnChild, type ChildExit, type ChildHandle } from '#platform/process';

import type { QueryDefinition } from './define-query.js';

export interface ConnectOptions {
  url: string;
  user: string;
  password: string;
  database: string;
}

export interface EmbeddedOptions {
  homeDir: string;
  database?: string;
  /** Lines the engine writes to its standard error. */
  onLine?: (line: string) => void;
}

export interface InsertOptions {
  /** Two inserts into one table with the same token leave one copy, within the table's deduplication window. */
  dedupToken?: string;
}

/** Said with every request, so that no default of a server version decides how an answer reads or what a write means. */
const COMMON_SETTINGS = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_denormals: 1,
  date_time_input_format: 'best_effort',
  session_timezone: 'UTC',
} as const;

/** An insert is acknowledged when its rows are in the table; a field that the table lacks is an error, not a loss. */
const INSERT_SETTINGS = {
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_skip_unknown_fields: 0,
  input_format_json_read_objects_as_strings: 1,
  input_format_json_read_arrays_as_strings: 1,
} as const;

/**
 * A view's table takes the rows of a repeated insert again: killed between table and view, the first insert may have left
 * the view without them. So repeated inserts must hold the same rows, and what a view feeds must bear a row twice.
 */
const TOKEN_SETTINGS = { deduplicate_blocks_in_dependent_materialized_views: 1 } as const;

const readySchema = z.object({ port: z.number().int(), version: z.string() });

/** ClickHouse through its official client: a server, or the engine in a child process that speaks the same protocol. */
export class ClickHouse {
  private constructor(
    /** The official client, for what `query`, `insert` and `command` do not cover. */
    readonly client: ClickHouseClient,
    /** Where and as whom it is connected; holds the password, never log it. */
    readonly connection: ConnectOptions,
    private readonly engine: ChildHandle | undefined,
  ) {}

  /** Connects to a server. Nothing is sent until the first call; use `ping`. */
  static connect(options: ConnectOptions): ClickHouse {
    return new ClickHouse(openClient(options, 10), options, undefined);
  }

  /** Starts the engine on `<homeDir>/clickhouse` and connects to it. It ends with this process, however this one ends. */
  static async startEmbedded({
    homeDir,
    database = 'ratchet',
    onLine,
  }: EmbeddedOptions): Promise<ClickHouse> {
    const dataDir = join(homeDir, 'clickhouse');
    mkdirSync(dataDir, { recursive: true });
    const password = randomBytes(24).toString('hex');
    const engine = spawnChild({
      name: 'clickhouse',
      homeDir,
      script: childScript(import.meta.url, './engine.main'),
      config: { dataDir, user: 'ratchet', password },
      ...(onLine === undefined ? {} : { onLine }),
    });
    const { port } = readySchema.parse(await engine.ready);
    const options = { url: `http://127.0.0.1:${port}`, user: 'ratchet', password, database };
    const clickhouse = new ClickHouse(openClient(options, 6), options, engine);
    await clickhouse.ensureDatabase();
    return clickhouse;
  }

  /** Makes the database when it is missing: once, before migrations. */
  async ensureDatabase(): Promise<void> {
    const admin = openClient({ ...this.connection, database: 'default' }, 1);
    const query = `CREATE DATABASE IF NOT EXISTS \`${this.connection.database}\``;
    await this.guard('create database', () => admin.command({ query })).finally(() => admin.close());
  }

  /** Settles when the embedded engine has ended; undefined with a server. */
  get engineExited(): Promise<ChildExit> | undefined {
    return this.engine?.exited;
  }

  /** Process id of the embedded engine; undefined with a server. */
  get enginePid(): number | undefined {
    return this.engine?.pid;
  }

  async ping(): Promise<boolean> {
    return (await this.client.ping()).success;
  }

  /**
   * Runs a declared query; every row is checked against its schema.
   * @throws AppError `store.unavailable` when ClickHouse does not answer, `internal` for a wrong query or row.
   */
  async query<P extends z.ZodType<Record<string, unknown>>, R extends z.ZodType>(
    definition: QueryDefinition<P, R>,
    params: z.input<P>,
  ): Promise<z.output<R>[]> {
    const { name, sql, row } = definition;
    const rows = await this.guard(name, async () => {
      const result = await this.client.query({
        query: sql,
        format: 'JSONEachRow',
        query_params: definition.params.parse(params),
        clickhouse_settings: { log_comment: name },
      });
      return result.json<unknown>();
    });
    const parsed = z.array(row).safeParse(rows);
    if (parsed.success) return parsed.data;
    throw new AppError('internal', {
      public: 'A stored row does not have the expected form.',
      detail: { query: name, issues: parsed.error.issues.slice(0, 5) },
    });
  }

  /** Inserts rows (an empty list is no request). Resolves when they are stored; `bigint` values are exact. */
  async insert(table: string, rows: readonly object[], { dedupToken }: InsertOptions = {}): Promise<void> {
    if (rows.length === 0) return;
    await this.guard(`insert ${table}`, () =>
      this.client.insert({
        table,
        values: [...rows],
        format: 'JSONEachRow',
        clickhouse_settings: {
          ...INSERT_SETTINGS,
          ...(dedupToken === undefined ? {} : { ...TOKEN_SETTINGS, insert_deduplication_token: dedupToken }),
        },
      }),
    );
  }

  /**
   * Inserts rows that are text already: one line of JSONCompactEachRow each, members in the order of `columns`. For the few
   * tables where making an object of every row costs more than the insert.
   */
  async insertLines(
    { table, columns }: { table: string; columns: readonly string[] },
    lines: readonly string[],
    { dedupToken }: InsertOptions = {},
  ): Promise<void> {
    if (lines.length === 0) return;
    await this.guard(`insert ${table}`, async () => {
      const { stream } = await this.client.exec({
        query: `INSERT INTO ${table} (${columns.join(', ')}) FORMAT JSONCompactEachRow`,
        values: Readable.from([Buffer.from(lines.join('\n'))], { objectMode: false }),
        clickhouse_settings: {
          ...INSERT_SETTINGS,
          ...(dedupToken === undefined ? {} : { ...TOKEN_SETTINGS, insert_deduplication_token: dedupToken }),
        },
      });
      // The answer is empty; the connection is free again when it was read to its end.
      await finished(stream.resume());
    });
  }

  /** Runs a statement that returns no rows. */
  async command(sql: string, params: Record<string, unknown> = {}): Promise<void> {
    await this.guard('command', () => this.client.command({ query: sql, query_params: params }));
  }

  /** Closes the connections and, when embedded, stops the engine. */
  async close(): Promise<void> {
    await this.client.close();
    await this.engine?.stop(10_000);
  }

  private async guard<T>(what: string, action: () => Promise<T>): Promise<T> {
    try {
      return await action();
    } catch (error) {
      if (error instanceof ClickHouseError) {
        throw new AppError('internal', {
          public: 'The trajectory store refused the request.',
          detail: { what, code: error.code, type: error.type, message: error.message },
          cause: error,
        });
      }
      if (error instanceof z.ZodError || error instanceof TypeError) throw error;
      throw new AppError('store.unavailable', {
        public: 'The trajectory store does not answer. Try again shortly.',
        detail: { what, message: messageOf(error) },
        cause: error,
      });
    }
  }
}

function openClient(
  { url, user, password, database }: ConnectOptions,
  connections: number,
): ClickHouseClient {
  return createClient({
    url,
    username: user,
    password,
    database,
    application: 'ratchet',
    request_timeout: 120_000,
    max_open_connections: connections,
    compression: { request: false, response: false },
    clickhouse_settings: COMMON_SETTINGS,
    json: { parse: JSON.parse as (text: string) => never, stringify: stringifyExact },
    log: { level: 127 },
  });
}

/** JSON with 64-bit integers as text, which ClickHouse reads exactly. */
function stringifyExact(value: unknown): string {
  return (
    JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? member.toString() : member,
    ) ?? 'null'
  );
}
