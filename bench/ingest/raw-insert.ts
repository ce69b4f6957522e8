/** What ingest could reach at most: its own rows, made before the clock runs, through the same client into the same tables. */
import type { ClickHouse } from '#platform/clickhouse';

const ROWS_AN_INSERT = 5_000;
const TABLES = ['span_messages', 'shared_texts', 'spans'];

/** Spans a second, on a store that holds the rows to insert. */
export async function rawInsertRate(clickhouse: ClickHouse): Promise<number> {
  let spans = 0;
  let seconds = 0;
  for (const table of TABLES) {
    const lines = await linesOf(clickhouse, table);
    const copy = `raw_${table}`;
    await clickhouse.command(`CREATE TABLE ${copy} AS ${table}`);
    const columns = await columnsOf(clickhouse, table);
    const started = performance.now();
    for (let from = 0; from < lines.length; from += ROWS_AN_INSERT)
      await clickhouse.insertLines({ table: copy, columns }, lines.slice(from, from + ROWS_AN_INSERT));
    seconds += (performance.now() - started) / 1000;
    if (table === 'spans') spans = lines.length;
    await clickhouse.command(`DROP TABLE ${copy}`);
  }
  return spans / seconds;
}

async function linesOf(clickhouse: ClickHouse, table: string): Promise<string[]> {
  const result = await clickhouse.client.query({
    query: `SELECT * FROM ${table}`,
    format: 'JSONCompactEachRow',
  });
  return (await result.text()).split('\n').filter((line) => line !== '');
}

async function columnsOf(clickhouse: ClickHouse, table: string): Promise<string[]> {
  const result = await clickhouse.client.query({ query: `DESCRIBE TABLE ${table}`, format: 'JSONEachRow' });
  return (await result.json<{ name: string }>()).map(({ name }) => name);
}
