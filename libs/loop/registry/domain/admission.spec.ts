import { AppError } from '#kernel/errors';
import { safetensors } from '../../../../test/support/adapter.js';
import { admitAdapter, type AdmissionInput } from './admission.js';

const MODULE = 'base_model.model.model.layers.0.self_attn.q_proj';

const config = (over: object = {}): string =>
  JSON.stringify({
    peft_type: 'LORA',
    base_model_name_or_path: 'tiny',
    revision: 'r1',
    r: 1,
    lora_alpha: 2,
    modules_to_save: null,
    ...over,
  });

function input(over: Partial<AdmissionInput> = {}, b: number[] = [3, 4]): AdmissionInput {
  return {
    config: config(),
    weights: safetensors({
      [`${MODULE}.lora_A.weight`]: { shape: [1, 2], values: [1, 0] },
      [`${MODULE}.lora_B.weight`]: { shape: [2, 1], values: b },
    }),
    base: { name: 'tiny', revision: 'r1' },
    expected: { rank: 1, alpha: 2 },
    maxRank: 16,
    ...over,
  };
}

describe('admission of an adapter', () => {
  it('admits a whole adapter, names it by its content and measures its distance from the base', () => {
    const result = admitAdapter(input());
    expect(result).toMatchObject({ ok: true, problems: [], rank: 1 });
    expect(result.deltaNorm).toBeCloseTo(5, 6);
    expect(result.name).toMatch(/^tiny--[0-9a-f]{12}$/);
    expect(admitAdapter(input({}, [3, 5])).name).not.toBe(result.name);
  });

  it('reads the same values from any view of the bytes: a Buffer of a shared pool, an unaligned one', () => {
    const { weights } = input();
    const pooled = Buffer.concat([Buffer.from('x'), weights]).subarray(1);
    const shared = new Uint8Array(weights.byteLength + 3);
    shared.set(weights, 3);
    for (const view of [Buffer.from(weights), pooled, shared.subarray(3)]) {
      expect(admitAdapter(input({ weights: view })).deltaNorm).toBeCloseTo(5, 6);
    }
  });

  it.each([
    ['an unchanged copy of the base', input({}, [0, 0]), /base itself/],
    ['NaN', input({}, [Number.NaN, 1]), /NaN/],
    ['another base revision', input({ config: config({ revision: 'r0' }) }), /revision r0/],
    ['an alpha the job did not ask for', input({ config: config({ lora_alpha: 0 }) }), /lora_alpha is 0/],
    ['saved modules', input({ config: config({ modules_to_save: ['lm_head'] }) }), /modules_to_save/],
    ['a rank over the maximum', input({ maxRank: 0 }), /over the server's maximum/],
    ['a config that is not JSON', input({ config: '{' }), /not JSON/],
    [
      'half of a pair',
      input({ weights: safetensors({ [`${MODULE}.lora_A.weight`]: { shape: [1, 2], values: [1, 0] } }) }),
      /only one half/,
    ],
    [
      'a foreign tensor',
      input({ weights: safetensors({ x: { shape: [1], values: [1] } }) }),
      /unexpected tensor/,
    ],
  ])('refuses %s', (_case, given, why) => {
    const result = admitAdapter(given);
    expect(result.ok).toBe(false);
    expect(result.problems.join('; ')).toMatch(why);
  });

  it.each([
    ['an empty file', new Uint8Array(0)],
    ['a cut-off file', input().weights.slice(0, 20)],
    ['a lying header length', new Uint8Array([255, 255, 255, 255, 255, 0, 0, 0, 1])],
  ])('refuses %s with a clear error', (_case, weights) => {
    expect(() => admitAdapter(input({ weights }))).toThrow(AppError);
  });
});
