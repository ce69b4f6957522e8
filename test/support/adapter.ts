/** Small LoRA adapters for tests: real files, whatever is in them. */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '#platform/runtime';

const MODULE = 'base_model.model.model.layers.0.self_attn.q_proj';

/** The file format of safetensors, for 32-bit floats. */
export function safetensors(tensors: Record<string, { shape: number[]; values: number[] }>): Uint8Array {
  const header: Record<string, unknown> = {};
  const chunks: Uint8Array[] = [];
  let offset = 0;
  for (const [name, { shape, values }] of Object.entries(tensors)) {
    const bytes = new Uint8Array(new Float32Array(values).buffer);
    header[name] = { dtype: 'F32', shape, data_offsets: [offset, offset + bytes.byteLength] };
    chunks.push(bytes);
    offset += bytes.byteLength;
  }
  const head = new TextEncoder().encode(JSON.stringify(header));
  const file = new Uint8Array(8 + head.byteLength + offset);
  new DataView(file.buffer).setBigUint64(0, BigInt(head.byteLength), true);
  file.set(head, 8);
  let at = 8 + head.byteLength;
  for (const chunk of chunks) {
    file.set(chunk, at);
    at += chunk.byteLength;
  }
  return file;
}

export interface TestAdapter {
  base: { name: string; revision: string };
  rank: number;
  alpha: number;
  /** Makes the content, and so the name, another one. */
  value: number;
}

/** Writes PEFT files that are admitted, and for embedded serving the base's own graph; returns the folder. */
export function writeAdapter(dir: string, { base, rank, alpha, value }: TestAdapter): string {
  mkdirSync(dir, { recursive: true });
  const config = {
    peft_type: 'LORA',
    base_model_name_or_path: base.name,
    revision: base.revision,
    r: rank,
    lora_alpha: alpha,
    modules_to_save: null,
  };
  writeFileSync(join(dir, 'adapter_config.json'), JSON.stringify({ ...config, value }));
  const weights = safetensors({
    [`${MODULE}.lora_A.weight`]: { shape: [rank, 1], values: Array.from({ length: rank }, () => 1) },
    [`${MODULE}.lora_B.weight`]: { shape: [1, rank], values: Array.from({ length: rank }, () => value) },
  });
  writeFileSync(join(dir, 'adapter_model.safetensors'), weights);
  copyFileSync(
    join(projectRoot(), 'native', 'tiny-policy', 'policy', 'model.onnx'),
    join(dir, 'policy.onnx'),
  );
  return dir;
}
