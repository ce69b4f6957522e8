/** OTLP trace exports as JSON: one request a row, as the file exporter of the OpenTelemetry collector writes them. */
import { AppError } from '#kernel/errors';
import { isObject } from '../domain/json.js';
import { decodeExportRequest, type DecodedSpans } from '../domain/otlp.js';
import { BadRow, type Format } from './format.js';

export const otlpJson: Format = {
  name: 'otlp-json',
  detects: (row) => isObject(row) && Array.isArray(row['resourceSpans']),
  read: (row) => {
    const { spans, rejected } = decoded(row);
    const reason = rejected[0]?.reason ?? 'there is no span in it';
    if (spans.length === 0) throw new BadRow(reason);
    const total = spans.length + rejected.length;
    return {
      kind: 'spans',
      spans,
      leftOut:
        rejected.length === 0 ? null : `${rejected.length} of ${total} spans were not taken: ${reason}`,
    };
  },
};

function decoded(row: unknown): DecodedSpans {
  try {
    return decodeExportRequest(row);
  } catch (error) {
    if (error instanceof AppError) throw new BadRow(error.publicMessage);
    throw error;
  }
}
