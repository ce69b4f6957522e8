/** Trajectories as Parquet: plain columns to filter by, messages and all that nests as JSON text. Written a row group at a time. */
import { ByteWriter, ParquetWriter, type BasicType, type SchemaElement } from 'hyparquet-writer';
import type { Trajectory } from '#contracts/trajectory';
import { wellFormed } from '../domain/json.js';
import { chatMessagesOf } from './chat-messages.js';

/** A row group ends at whichever comes first. */
const GROUP_ROWS = 1_000;
const GROUP_CHARS = 16 * 1024 * 1024;

interface Column {
  name: string;
  type: BasicType;
  read(trajectory: Trajectory): string | number | bigint | null;
}

const COLUMNS: readonly Column[] = [
  text('id', (item) => item.id),
  text('external_id', (item) => wellFormed(item.externalId)),
  { name: 'revision', type: 'INT64', read: (item) => BigInt(item.revision) },
  text('source', (item) => item.source),
  text('agent', (item) => wellFormed(item.agent)),
  text('agent_ref', (item) => item.agentRef),
  text('policy', (item) => item.policy),
  text('session_id', (item) => (item.sessionId === null ? null : wellFormed(item.sessionId))),
  text('trace_id', (item) => item.traceId),
  text('outcome', (item) => item.outcome.value),
  text('outcome_source', (item) => item.outcome.source),
  { name: 'outcome_confidence', type: 'DOUBLE', read: (item) => item.outcome.confidence },
  { name: 'reward', type: 'DOUBLE', read: (item) => item.reward },
  { name: 'started_at_ns', type: 'INT64', read: (item) => BigInt(item.startedAtNs) },
  { name: 'ended_at_ns', type: 'INT64', read: (item) => BigInt(item.endedAtNs) },
  { name: 'input_tokens', type: 'INT64', read: (item) => countOf(item.usage.inputTokens) },
  { name: 'output_tokens', type: 'INT64', read: (item) => countOf(item.usage.outputTokens) },
  { name: 'cache_read_tokens', type: 'INT64', read: (item) => countOf(item.usage.cacheReadTokens) },
  { name: 'reasoning_tokens', type: 'INT64', read: (item) => countOf(item.usage.reasoningTokens) },
  { name: 'cost_usd', type: 'DOUBLE', read: (item) => item.costUsd },
  text('messages', (item) => JSON.stringify(chatMessagesOf(item))),
  text('tools', (item) => JSON.stringify(item.tools)),
  text('steps', (item) => JSON.stringify(item.steps)),
  text('metadata', (item) => JSON.stringify(item.metadata)),
];

function text(name: string, read: Column['read']): Column {
  return { name, type: 'STRING', read };
}

function countOf(count: number | null | undefined): bigint | null {
  return typeof count === 'number' ? BigInt(count) : null;
}

const SCHEMA: SchemaElement[] = [
  { name: 'root', num_children: COLUMNS.length },
  ...COLUMNS.map(({ name, type }): SchemaElement => {
    const shared = { name, repetition_type: 'OPTIONAL' as const };
    return type === 'STRING'
      ? { ...shared, type: 'BYTE_ARRAY', converted_type: 'UTF8' }
      : { ...shared, type: type === 'INT64' ? 'INT64' : 'DOUBLE' };
  }),
];

/** A whole file, also of no trajectory at all. */
export async function* parquetChunks(trajectories: AsyncIterable<Trajectory>): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const file = new ParquetWriter({ writer: bytes, schema: SCHEMA, createdBy: 'ratchet' });
  let group = new RowGroup();
  for await (const trajectory of trajectories) {
    group.add(trajectory);
    if (!group.isFull) continue;
    await group.writeTo(file);
    group = new RowGroup();
    yield taken(bytes);
  }
  await group.writeTo(file);
  await file.finish();
  yield taken(bytes);
}

class RowGroup {
  private readonly values: ReturnType<Column['read']>[][] = COLUMNS.map(() => []);
  private chars = 0;

  add(trajectory: Trajectory): void {
    COLUMNS.forEach((column, at) => {
      const value = column.read(trajectory);
      if (typeof value === 'string') this.chars += value.length;
      this.values[at]?.push(value);
    });
  }

  private get rows(): number {
    return this.values[0]?.length ?? 0;
  }

  get isFull(): boolean {
    return this.rows >= GROUP_ROWS || this.chars >= GROUP_CHARS;
  }

  async writeTo(file: ParquetWriter): Promise<void> {
    if (this.rows === 0) return;
    const columnData = COLUMNS.map(({ name }, at) => ({ name, data: this.values[at] ?? [] }));
    await file.write({ columnData, rowGroupSize: this.rows });
  }
}

/** What was written since the last time; the writer goes on counting from there. */
function taken(bytes: ByteWriter): Uint8Array {
  const chunk = bytes.getBytes().slice();
  bytes.index = 0;
  return chunk;
}
