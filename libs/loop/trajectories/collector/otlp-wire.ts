/** Bytes of an OTLP/HTTP request → spans, and the verdict → bytes in the same encoding. */
import protobuf from 'protobufjs';
import { AppError } from '#kernel/errors';
import { decodeExportRequest, LOGS_HINT, type DecodedSpans } from '../domain/otlp.js';
import { ExportTraceServiceResponse } from './otlp-protobuf.js';
import { readExportRequest } from './otlp-reader.js';

export type OtlpEncoding = 'application/json' | 'application/x-protobuf';

/** @throws AppError request.unsupported_media */
export function encodingOf(contentType: string | undefined): OtlpEncoding {
  const type = contentType?.split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json' || type === 'application/x-protobuf') return type;
  throw new AppError('request.unsupported_media', {
    public: `Content-Type ${type ?? '(none)'} is not taken here; send application/x-protobuf or application/json.`,
  });
}

/** @throws AppError request.invalid: the client must not send these bytes again. */
export function decodeOtlp(body: Buffer, encoding: OtlpEncoding): DecodedSpans {
  return decodeExportRequest(encoding === 'application/json' ? parseJson(body) : parseProtobuf(body));
}

/** OTLP's answer: empty when all was taken, else how many spans were not and why. */
export function encodeVerdict(rejected: DecodedSpans['rejected'], encoding: OtlpEncoding): Buffer {
  const verdict =
    rejected.length === 0
      ? {}
      : { partialSuccess: { rejectedSpans: rejected.length, errorMessage: reasonsOf(rejected) } };
  if (encoding === 'application/json') {
    const rejectedSpans = String(rejected.length);
    const { partialSuccess } = verdict;
    return Buffer.from(
      JSON.stringify(
        partialSuccess === undefined ? {} : { partialSuccess: { ...partialSuccess, rejectedSpans } },
      ),
    );
  }
  return Buffer.from(
    ExportTraceServiceResponse.encode(ExportTraceServiceResponse.fromObject(verdict)).finish(),
  );
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    throw new AppError('request.invalid', { public: 'The body is not JSON. Do not send it again as it is.' });
  }
}

function parseProtobuf(body: Buffer): unknown {
  if (isLogsExport(body)) throw new AppError('request.invalid', { public: LOGS_HINT });
  try {
    return readExportRequest(body);
  } catch {
    throw new AppError('request.invalid', {
      public: 'The body is not an OTLP protobuf message. Do not send it again as it is.',
    });
  }
}

/** Path of field numbers to the first record of an export, the same for traces and logs. */
const FIRST_RECORD = [1, 2, 2];
const BYTES = 2;
/** Tags a log record begins with, its time or observed time; a span's first field is its trace id. */
const LOG_RECORD_TAGS = new Set([(1 << 3) | 1, (11 << 3) | 1]);

/** Traces and logs share their outer messages on the wire, so logs sent here decode into spans of nonsense. */
function isLogsExport(body: Buffer): boolean {
  try {
    let at = protobuf.Reader.create(body);
    for (const field of FIRST_RECORD) {
      const inner = firstMessage(at, field);
      if (inner === null) return false;
      at = protobuf.Reader.create(inner);
    }
    return at.pos < at.len && LOG_RECORD_TAGS.has(at.uint32());
  } catch {
    return false;
  }
}

function firstMessage(reader: protobuf.Reader, field: number): Uint8Array | null {
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === ((field << 3) | BYTES)) return reader.bytes();
    reader.skipType(tag & 7);
  }
  return null;
}

/** Each different reason once, with how often, at most five. */
function reasonsOf(rejected: DecodedSpans['rejected']): string {
  const counts = new Map<string, number>();
  for (const { reason } of rejected) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const shown = [...counts]
    .slice(0, 5)
    .map(([reason, count]) => (count > 1 ? `${reason} (${count} spans)` : reason));
  return shown.join('; ') + (counts.size > 5 ? `; and ${counts.size - 5} other reasons` : '');
}
