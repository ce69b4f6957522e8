import { InferenceSession, Tensor } from 'onnxruntime-node';

import { AppError, messageOf } from '#kernel/errors';

import type { KvRows, KvShape } from './kv-rows.js';

export interface KvOutput {
  /** One row of logits a row of the batch: those of its last token. */
  logits: Float32Array[];
  rows: KvRows;
}

const INPUTS = ['ids', 'pos', 'mask', 'past'];

/**
 * A Llama graph with an explicit key/value past: ids, pos [b,t], mask [b,p+t], past [2·layers,b,heads,p,size] →
 * logits [b,vocab] of the last place, present. Rows of unequal length are padded on the left.
 */
export class KvModel {
  private constructor(
    private readonly session: InferenceSession,
    readonly shape: KvShape,
  ) {}

  /**
   * Loads a graph and lets it say something once, so that a graph of another form or with broken weights never serves.
   * @throws AppError `adapter.refused`
   */
  static async load(path: string, threads: number): Promise<KvModel> {
    try {
      const session = await InferenceSession.create(path, {
        intraOpNumThreads: threads,
        interOpNumThreads: 1,
        // Threads that spin while they wait take the cores from whoever else works here.
        extra: { session: { intra_op: { allow_spinning: '0' } } },
      });
      const model = new KvModel(session, shapeOf(session));
      const { logits } = await model.prefill([[0, 0]]);
      if (logits[0]?.some((logit) => !Number.isFinite(logit)) ?? true)
        throw new Error('its outputs are not numbers');
      return model;
    } catch (error) {
      throw new AppError('adapter.refused', {
        public: `The policy graph cannot be served: ${messageOf(error)}`,
        detail: { path },
        cause: error,
      });
    }
  }

  /** Reads whole prompts, none of them empty, as one batch. */
  async prefill(prompts: readonly (readonly number[])[]): Promise<KvOutput> {
    const width = Math.max(...prompts.map((prompt) => prompt.length));
    const pads = prompts.map((prompt) => width - prompt.length);
    const cells = prompts.length * width;
    const ids = new BigInt64Array(cells);
    const positions = new BigInt64Array(cells);
    prompts.forEach((prompt, row) => {
      const start = row * width + (pads[row] ?? 0);
      prompt.forEach((token, place) => {
        ids[start + place] = BigInt(token);
        positions[start + place] = BigInt(place);
      });
    });
    const empty: KvRows = { past: new Float32Array(0), rows: prompts.length, width: 0, pads };
    return this.run({ ids, positions, fresh: width, before: empty });
  }

  /** One more token for every row. */
  async step(before: KvRows, tokens: readonly number[]): Promise<KvOutput> {
    const ids = BigInt64Array.from(tokens, BigInt);
    const positions = BigInt64Array.from(before.pads, (pad) => BigInt(before.width - pad));
    return this.run({ ids, positions, fresh: 1, before });
  }

  async release(): Promise<void> {
    await this.session.release();
  }

  private async run(input: {
    ids: BigInt64Array;
    positions: BigInt64Array;
    fresh: number;
    before: KvRows;
  }): Promise<KvOutput> {
    const { ids, positions, fresh, before } = input;
    const { layers2, heads, size } = this.shape;
    const { rows, pads } = before;
    const width = before.width + fresh;
    const results = await this.session.run({
      ids: new Tensor('int64', ids, [rows, fresh]),
      pos: new Tensor('int64', positions, [rows, fresh]),
      mask: new Tensor('int64', maskOf(pads, width), [rows, width]),
      past: new Tensor('float32', before.past, [layers2, rows, heads, before.width, size]),
    });
    const logits = floats(results['logits']);
    const vocabulary = logits.length / rows;
    return {
      logits: pads.map((_, row) => logits.subarray(row * vocabulary, (row + 1) * vocabulary)),
      rows: { past: floats(results['present']), rows, width, pads },
    };
  }
}

function maskOf(pads: readonly number[], width: number): BigInt64Array {
  const mask = new BigInt64Array(pads.length * width).fill(1n);
  pads.forEach((pad, row) => mask.fill(0n, row * width, row * width + pad));
  return mask;
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.type !== 'float32') throw new Error('the graph lacks the outputs logits and present');
  return tensor.data as Float32Array;
}

function shapeOf(session: InferenceSession): KvShape {
  const past = session.inputMetadata.find((input) => input.name === 'past');
  if (!INPUTS.every((name) => session.inputNames.includes(name)) || past?.isTensor !== true)
    throw new Error(`its inputs are ${session.inputNames.join(', ')}; expected ${INPUTS.join(', ')}`);
  const [layers2, , heads, , size] = past.shape;
  if (typeof layers2 !== 'number' || typeof heads !== 'number' || typeof size !== 'number')
    throw new Error('its past has no fixed layers, heads and size');
  return { layers2, heads, size };
}
