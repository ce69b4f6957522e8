import { Session } from 'chdb';

import { EngineError, engineErrorFrom } from './engine-error.js';

/** One statement as it came over HTTP. */
export interface Statement {
  sql: string;
  /** Rows of an INSERT that came as the request body. */
  data?: Buffer;
  format: string;
  database: string;
  settings: ReadonlyMap<string, string>;
  /** Query parameters in ClickHouse's own text form, as the client wrote them. */
  params: ReadonlyMap<string, string>;
}

export interface StatementResult {
  bytes: Uint8Array;
  readRows: number;
  readBytes: number;
  writtenRows: number;
  writtenBytes: number;
  elapsedNs: number;
}

const RAW_INSERT =
  /^\s*INSERT\s+INTO\s+(?:TABLE\s+)?(\w+(?:\.\w+)?)\s*(?:\(([\w\s,]+)\)\s*)?FORMAT\s+(JSONEachRow|JSONCompactEachRow)\s*;?\s*$/i;
const SETTING_NAME = /^\w+$/;

/** SQL string literal. Backslash and quote are all that can end or bend one. */
export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/**
 * One connection to the engine and the order of its statements, one at a time. HTTP requests know no session, the engine's
 * connection does: what the last request set and this one does not is put back first.
 */
export class EngineLane {
  private readonly session: Session;
  private tail: Promise<unknown> = Promise.resolve();
  private readonly applied = new Map<string, string>();
  private readonly everBound = new Set<string>();
  private database = '';

  constructor(dataDir: string, connectionArgs: readonly string[]) {
    this.session = new Session(dataDir, { connectionArgs });
  }

  /** Runs after all statements before it. Skipped when `isWanted` says by then that nobody waits for the answer. */
  run(statement: Statement, isWanted: () => boolean = () => true): Promise<StatementResult | undefined> {
    const result = this.tail.then(() => (isWanted() ? this.execute(statement) : undefined));
    this.tail = result.catch(() => undefined);
    return result;
  }

  /** Waits for the statements in order, then lets the engine go. */
  async close(): Promise<void> {
    await this.tail;
    this.session.close();
  }

  private async execute(statement: Statement): Promise<StatementResult> {
    try {
      await this.prepare(statement);
      const { sql, data } = statement;
      const target = data === undefined ? null : RAW_INSERT.exec(sql);
      return target === null || data === undefined || data.length === 0
        ? await this.query(statement)
        : await this.insertRaw(target, data);
    } catch (error) {
      throw engineErrorFrom(error);
    }
  }

  private async prepare({ sql, database, settings, params }: Statement): Promise<void> {
    if (database !== this.database) {
      await this.session.queryAsync(`USE \`${database.replaceAll('`', '')}\``);
      this.database = database;
    }
    await this.applySettings(settings);
    this.refuseStaleParams(sql, params);
    if (params.size === 0) return;
    const bindings = [...params].map(([name, value]) => `param_${checkedName(name)} = ${quote(value)}`);
    await this.session.queryAsync(`SET ${bindings.join(', ')}`);
    for (const name of params.keys()) this.everBound.add(name);
  }

  private async applySettings(settings: ReadonlyMap<string, string>): Promise<void> {
    const wanted = [...settings].filter(([name, value]) => this.applied.get(name) !== value);
    const dropped = [...this.applied.keys()].filter((name) => !settings.has(name));
    if (wanted.length + dropped.length === 0) return;
    const changes = [
      ...wanted.map(([name, value]) => `${checkedName(name)} = ${quote(value)}`),
      ...dropped.map((name) => `${name} = DEFAULT`),
    ];
    try {
      await this.session.queryAsync(`SET ${changes.join(', ')}`);
    } catch (error) {
      await this.resetSettings([...wanted.map(([name]) => name), ...dropped]);
      throw error;
    }
    for (const name of dropped) this.applied.delete(name);
    for (const [name, value] of wanted) this.applied.set(name, value);
  }

  /** After a refused SET nobody knows how much of it was applied: back to the defaults. */
  private async resetSettings(names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.applied.delete(name);
      await this.session.queryAsync(`SET ${name} = DEFAULT`).catch(() => undefined);
    }
  }

  /** The engine has no way to unset a parameter: a value left by an earlier request must never answer for a missing one. */
  private refuseStaleParams(sql: string, params: ReadonlyMap<string, string>): void {
    for (const name of this.everBound) {
      if (params.has(name) || !new RegExp(`\\{\\s*${name}\\s*:`).test(sql)) continue;
      throw new EngineError(456, `Substitution \`${name}\` is not set`, 'UNKNOWN_QUERY_PARAMETER');
    }
  }

  private async query({ sql, data, format }: Statement): Promise<StatementResult> {
    const text = data === undefined || data.length === 0 ? sql : `${sql}\n${data.toString('utf8')}`;
    const result = await this.session.queryAsync(text, { format });
    return {
      bytes: result.bytes(),
      readRows: result.rowsRead,
      readBytes: result.bytesRead,
      writtenRows: 0,
      writtenBytes: 0,
      elapsedNs: Math.round(result.elapsed * 1e9),
    };
  }

  private async insertRaw(
    [, table = '', columns, format]: RegExpExecArray,
    data: Buffer,
  ): Promise<StatementResult> {
    const summary = await this.session.insert({
      table,
      values: data,
      format: format?.toLowerCase() === 'jsoneachrow' ? 'JSONEachRow' : 'JSONCompactEachRow',
      ...(columns === undefined ? {} : { columns: columns.split(',').map((column) => column.trim()) }),
    });
    return {
      bytes: new Uint8Array(0),
      readRows: summary.rowsSent ?? 0,
      readBytes: summary.bytesSent,
      writtenRows: summary.rowsWritten,
      writtenBytes: summary.bytesWritten,
      elapsedNs: Math.round(summary.elapsed * 1e9),
    };
  }
}

function checkedName(name: string): string {
  if (SETTING_NAME.test(name)) return name;
  throw new EngineError(115, `Unknown setting '${name}'`, 'UNKNOWN_SETTING');
}
