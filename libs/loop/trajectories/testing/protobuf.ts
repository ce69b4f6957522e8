import { ExportTraceServiceRequest } from '../collector/otlp-protobuf.js';

/** The JSON request as protobuf bytes: ids to bytes, the rest by the protobuf library's own rules. */
export function protobufOf(request: Record<string, unknown>): Buffer {
  const withBytes = JSON.parse(JSON.stringify(request), (key, value: unknown) =>
    /^(traceId|spanId|parentSpanId)$/.test(key)
      ? Buffer.from(value as string, 'hex').toString('base64')
      : value,
  ) as Record<string, unknown>;
  return Buffer.from(
    ExportTraceServiceRequest.encode(ExportTraceServiceRequest.fromObject(withBytes)).finish(),
  );
}
