/** The keys and values of a batch as one block of memory, and how rows of several blocks become a new one. */

/** Dimensions that a graph fixes: past is [layers2, rows, heads, width, size]. */
export interface KvShape {
  /** Twice the layers: keys and values. */
  layers2: number;
  heads: number;
  size: number;
}

export interface KvRows {
  past: Float32Array;
  rows: number;
  /** Places of every row, padding included. */
  width: number;
  /** Of each row, how many places on the left are padding. */
  pads: readonly number[];
}

export interface KvRow {
  from: KvRows;
  row: number;
}

/** A block with exactly these rows, in this order, no wider than the longest needs. Padding stays on the left. */
export function assembleRows(shape: KvShape, parts: readonly KvRow[]): KvRows {
  const lengths = parts.map(({ from, row }) => from.width - (from.pads[row] ?? 0));
  const width = Math.max(0, ...lengths);
  const past = new Float32Array(shape.layers2 * parts.length * shape.heads * width * shape.size);
  for (let layer = 0; layer < shape.layers2; layer++) {
    parts.forEach(({ from, row }, target) => {
      const length = lengths[target] ?? 0;
      for (let head = 0; head < shape.heads; head++) {
        const sourceEnd = ((layer * from.rows + row) * shape.heads + head + 1) * from.width * shape.size;
        const targetEnd = ((layer * parts.length + target) * shape.heads + head + 1) * width * shape.size;
        const copied = from.past.subarray(sourceEnd - length * shape.size, sourceEnd);
        past.set(copied, targetEnd - length * shape.size);
      }
    });
  }
  return { past, rows: parts.length, width, pads: lengths.map((length) => width - length) };
}
