/** Reads the parts of a safetensors file that admission needs. Source: huggingface/safetensors README (format). */
import { AppError } from '#kernel/errors';

export interface TensorEntry {
  name: string;
  dtype: string;
  shape: number[];
  /** Bytes of the tensor. */
  data: Uint8Array;
}

const MAX_HEADER_BYTES = 16 * 1024 * 1024;

interface HeaderEntry {
  dtype: string;
  shape: number[];
  data_offsets: [number, number];
}

/** @throws AppError adapter.refused when the bytes are no safetensors file. */
export function readSafetensors(file: Uint8Array): TensorEntry[] {
  const refuse = (why: string): never => {
    throw new AppError('adapter.refused', { public: `The adapter's weights cannot be read: ${why}.` });
  };
  if (file.byteLength < 8) return refuse('the file is shorter than its header');
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > MAX_HEADER_BYTES || 8 + headerBytes > file.byteLength)
    return refuse('the header is cut off');
  let header: Record<string, HeaderEntry>;
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(8, 8 + headerBytes))) as Record<
      string,
      HeaderEntry
    >;
  } catch {
    return refuse('the header is not JSON');
  }
  const start = 8 + headerBytes;
  return Object.entries(header)
    .filter(([name]) => name !== '__metadata__')
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => {
        if (start + to > file.byteLength || from > to) return refuse(`tensor ${name} is cut off`);
        return { name, dtype, shape, data: file.subarray(start + from, start + to) };
      },
    );
}

/** Values of a float32 tensor. Other types are refused: the trainer writes float32. */
export function float32Values(tensor: TensorEntry): Float32Array {
  if (tensor.dtype !== 'F32') {
    throw new AppError('adapter.refused', {
      public: `Tensor ${tensor.name} has type ${tensor.dtype}; F32 is expected.`,
    });
  }
  // A new array, aligned and of its own: a Node Buffer's `slice` would be a view into a shared pool.
  return new Float32Array(new Uint8Array(tensor.data).buffer);
}
