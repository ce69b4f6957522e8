/** The table of export formats. A new one is a writer and a line here. */
import type { Trajectory } from '#contracts/trajectory';
import { atifRowOf } from './atif-row.js';
import { chatRowOf, responsesRowOf } from './openai-rows.js';
import { otlpRequestOf } from './otlp-request.js';
import { parquetChunks } from './parquet.js';

export const EXPORT_FORMATS = [
  'openai-chat',
  'openai-responses',
  'atif',
  'jsonl',
  'parquet',
  'otlp-json',
] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportWriter {
  contentType: string;
  /** Of the file that a browser saves. */
  extension: string;
  /** Bytes as the trajectories come; holds no more than a few of them at a time. */
  write(trajectories: AsyncIterable<Trajectory>): AsyncIterable<Uint8Array>;
}

export const EXPORT_WRITERS: Readonly<Record<ExportFormat, ExportWriter>> = {
  'openai-chat': lines(chatRowOf),
  'openai-responses': lines(responsesRowOf),
  atif: lines(atifRowOf),
  jsonl: lines((trajectory) => trajectory),
  parquet: {
    contentType: 'application/vnd.apache.parquet',
    extension: 'parquet',
    write: parquetChunks,
  },
  'otlp-json': lines(otlpRequestOf),
};

/** One JSON document a line. */
function lines(rowOf: (trajectory: Trajectory) => unknown): ExportWriter {
  return {
    contentType: 'application/x-ndjson',
    extension: 'jsonl',
    async *write(trajectories) {
      for await (const trajectory of trajectories)
        yield Buffer.from(`${JSON.stringify(rowOf(trajectory))}\n`);
    },
  };
}
