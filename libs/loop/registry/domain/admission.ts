/**
 * Admission of an adapter before anything is measured (design §8): what would make serving it wrong or meaningless.
 * Pure: bytes in, problems out.
 */
import { z } from 'zod';
import { contentHash } from '#kernel/ids';
import { sha256 } from '#kernel/sha256';
import { float32Values, readSafetensors, type TensorEntry } from './safetensors.js';

const AdapterConfig = z.object({
  peft_type: z.string(),
  base_model_name_or_path: z.string().nullable(),
  revision: z.string().nullable().optional(),
  r: z.number().int().positive(),
  lora_alpha: z.number(),
  modules_to_save: z.array(z.string()).nullable().optional(),
  use_dora: z.boolean().optional(),
  rank_pattern: z.record(z.string(), z.number()).optional(),
});

export interface AdmissionInput {
  /** adapter_config.json */
  config: string;
  /** adapter_model.safetensors */
  weights: Uint8Array;
  base: { name: string; revision: string };
  /** What the training job asked for: the saved file must say the same. */
  expected: { rank: number; alpha: number };
  /** Largest rank the server takes. */
  maxRank: number;
}

export interface AdmissionResult {
  ok: boolean;
  problems: string[];
  /** Content name: `<base>--<sha12>`; the same bytes have the same name, other bytes another. */
  name: string;
  digest: string;
  rank: number;
  /** Frobenius norm of all B·A products: how far the adapter is from the base. */
  deltaNorm: number;
}

const KEY = /^base_model\.model\.(.+)\.lora_(A|B)\.weight$/;

function frobeniusOfProduct(a: TensorEntry, b: TensorEntry): number {
  const [rank, inputs] = a.shape as [number, number];
  const outputs = b.shape[0] as number;
  const av = float32Values(a);
  const bv = float32Values(b);
  let sum = 0;
  for (let o = 0; o < outputs; o++) {
    for (let i = 0; i < inputs; i++) {
      let cell = 0;
      for (let r = 0; r < rank; r++) cell += (bv[o * rank + r] as number) * (av[r * inputs + i] as number);
      sum += cell * cell;
    }
  }
  return sum;
}

function tensorProblems(tensors: TensorEntry[], rank: number): string[] {
  const problems: string[] = [];
  for (const tensor of tensors) {
    const match = KEY.exec(tensor.name);
    if (!match) {
      problems.push(`unexpected tensor ${tensor.name}: only LoRA pairs are served`);
      continue;
    }
    const rankSide = match[2] === 'A' ? tensor.shape[0] : tensor.shape[1];
    if (rankSide !== rank)
      problems.push(`${tensor.name} has rank ${rankSide}, adapter_config.json says ${rank}`);
    if (float32Values(tensor).some((value) => !Number.isFinite(value)))
      problems.push(`${tensor.name} holds NaN or infinity`);
  }
  return problems;
}

function pairsOf(tensors: TensorEntry[]): { pairs: [TensorEntry, TensorEntry][]; problems: string[] } {
  const modules = new Map<string, { A?: TensorEntry; B?: TensorEntry }>();
  for (const tensor of tensors) {
    const match = KEY.exec(tensor.name);
    if (!match) continue;
    const module = match[1] as string;
    modules.set(module, { ...modules.get(module), [match[2] as 'A' | 'B']: tensor });
  }
  const pairs: [TensorEntry, TensorEntry][] = [];
  const problems: string[] = [];
  for (const [module, { A, B }] of modules) {
    if (A && B) pairs.push([A, B]);
    else problems.push(`module ${module} has only one half of its LoRA pair`);
  }
  if (modules.size === 0) problems.push('the file holds no LoRA tensor');
  return { pairs, problems };
}

function configProblems(config: z.infer<typeof AdapterConfig>, input: AdmissionInput): string[] {
  const problems: string[] = [];
  if (config.peft_type !== 'LORA') problems.push(`peft_type is ${config.peft_type}, LORA is expected`);
  if (config.use_dora === true) problems.push('DoRA is not served');
  if ((config.modules_to_save ?? []).length > 0) problems.push('modules_to_save is not served');
  if (Object.keys(config.rank_pattern ?? {}).length > 0) problems.push('per-module ranks are not served');
  if (config.r > input.maxRank)
    problems.push(`rank ${config.r} is over the server's maximum ${input.maxRank}`);
  if (config.r !== input.expected.rank)
    problems.push(`rank is ${config.r}, the job asked for ${input.expected.rank}`);
  if (config.lora_alpha !== input.expected.alpha) {
    problems.push(`lora_alpha is ${config.lora_alpha}, the job asked for ${input.expected.alpha}`);
  }
  if (config.revision !== input.base.revision) {
    problems.push(
      `trained on base revision ${config.revision ?? 'unknown'}, served is ${input.base.revision}`,
    );
  }
  return problems;
}

function parseConfig(text: string): z.infer<typeof AdapterConfig> | string {
  try {
    const parsed = AdapterConfig.safeParse(JSON.parse(text));
    return parsed.success
      ? parsed.data
      : `adapter_config.json does not fit: ${parsed.error.issues[0]?.message ?? ''}`;
  } catch {
    return 'adapter_config.json is not JSON';
  }
}

/**
 * Judges an adapter's files. Total for readable files: problems are listed, never thrown.
 * @throws AppError adapter.refused when the weights are no safetensors file of float32 tensors.
 */
export function admitAdapter(input: AdmissionInput): AdmissionResult {
  const digest = contentHash(
    { config: sha256(input.config), weights: sha256(input.weights), base: input.base },
    64,
  );
  const named = { name: `${input.base.name}--${digest.slice(0, 12)}`, digest };
  const config = parseConfig(input.config);
  if (typeof config === 'string') return { ok: false, problems: [config], ...named, rank: 0, deltaNorm: 0 };
  const tensors = readSafetensors(input.weights);
  const { pairs, problems: unpaired } = pairsOf(tensors);
  const problems = [...configProblems(config, input), ...tensorProblems(tensors, config.r), ...unpaired];
  const deltaNorm =
    problems.length > 0 ? 0 : Math.sqrt(pairs.reduce((sum, [a, b]) => sum + frobeniusOfProduct(a, b), 0));
  if (problems.length === 0 && deltaNorm === 0)
    problems.push('every B is zero: this adapter is the base itself');
  return { ok: problems.length === 0, problems, ...named, rank: config.r, deltaNorm };
}
