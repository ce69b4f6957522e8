import { Transform, type Readable, type TransformCallback } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { AppError } from '#kernel/errors';

/** Most bytes of one export request, after decompression. */
export const MAX_OTLP_BYTES = 16 * 1024 * 1024;

export interface BodyOptions {
  gzip: boolean;
  maxBytes: number;
}

/** A request, or anything that can be read like one. */
type BodySource = Readable & { headers?: Record<string, string | string[] | undefined> };

function tooLarge(maxBytes: number): AppError {
  const limit = `${Math.floor(maxBytes / (1024 * 1024))} MiB`;
  return new AppError('request.too_large', {
    public: `The body is larger than ${limit} when decoded. Send it in parts.`,
  });
}

/**
 * The decoded body as a stream that fails as soon as it is too large: a compression bomb is never held.
 * @throws (also from the stream) AppError request.too_large, or request.invalid for a broken gzip stream.
 */
export function decodedBody(request: BodySource, { gzip, maxBytes }: BodyOptions): Readable {
  // What says itself that it is too large is not read: the server drops the rest once it has answered.
  if (Number(request.headers?.['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const limited = new ByteLimit(maxBytes);
  const unzip = gzip ? createGunzip() : null;
  const first = unzip ?? limited;
  limited.once('error', () => {
    // The request is read to its end, unkept: cutting the connection would take the answer away from its sender.
    request.unpipe(first);
    unzip?.destroy();
    request.resume();
  });
  unzip?.on('error', () =>
    limited.destroy(new AppError('request.invalid', { public: 'The body is not a whole gzip stream.' })),
  );
  request.once('close', () => {
    if (!request.readableEnded)
      limited.destroy(new AppError('request.invalid', { public: 'The body was cut off.' }));
  });
  unzip?.pipe(limited);
  request.pipe(first);
  return limited;
}

/** The whole body in memory, within the limit. */
export async function readBody(request: BodySource, options: BodyOptions): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of decodedBody(request, options)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

class ByteLimit extends Transform {
  private bytes = 0;

  constructor(private readonly maxBytes: number) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.bytes += chunk.length;
    if (this.bytes <= this.maxBytes) return done(null, chunk);
    return done(tooLarge(this.maxBytes));
  }
}
