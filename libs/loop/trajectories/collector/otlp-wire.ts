/** Bytes of an OTLP/HTTP request → spans, and the verdict → bytes in the same encoding. */
import { AppError } from '#kernel/errors';
import { decodeExportRequest, type DecodedSpans } from '../domain/otlp.js';
import { ExportTraceServiceRequest, ExportTraceServiceResponse } from './otlp-protobuf.js';

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
  try {
    return ExportTraceServiceRequest.decode(body);
  } catch {
    throw new AppError('request.invalid', {
      public: 'The body is not an OTLP protobuf message. Do not send it again as it is.',
    });
  }
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
