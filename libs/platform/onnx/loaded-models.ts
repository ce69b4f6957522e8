import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PolicyCard } from '#contracts/policy';
import { AppError } from '#kernel/errors';

import type { BatchScheduler } from './batch-scheduler.js';
import { KvModel } from './kv-model.js';

export interface ModelEntry {
  /** What requests call it, and what their answers carry: the content name. */
  id: string;
  /** Folder it was loaded from. */
  root: string;
  /** The base of an adapter; null for the base itself. */
  parent: string | null;
}

/** Adapters loaded at once: each is a whole small graph in memory. */
const MAX_ADAPTERS = 4;
const ADAPTER_NAME = /^[\w.:@/-]{1,200}$/;

/** The base and its adapters: which are loaded, from what content. */
export class LoadedModels {
  private readonly adapters = new Map<string, ModelEntry & { digest: string }>();
  /** Names whose graph is being read. */
  private readonly loading = new Set<string>();

  private constructor(
    readonly card: PolicyCard,
    private readonly base: ModelEntry,
    private readonly options: { scheduler: BatchScheduler; threads: number },
  ) {}

  /** Loads the base of a policy folder (`model.onnx`, `card.json`), served as `baseName` or else by name and revision. */
  static async open(
    policyDir: string,
    options: { scheduler: BatchScheduler; threads: number; baseName?: string | undefined },
  ): Promise<LoadedModels> {
    const card = PolicyCard.parse(JSON.parse(readFileSync(join(policyDir, 'card.json'), 'utf8')));
    const base = { id: options.baseName ?? `${card.name}@${card.revision}`, root: policyDir, parent: null };
    options.scheduler.add(base.id, await KvModel.load(join(policyDir, 'model.onnx'), options.threads));
    return new LoadedModels(card, base, options);
  }

  list(): ModelEntry[] {
    return [this.base, ...[...this.adapters.values()].map(({ id, root, parent }) => ({ id, root, parent }))];
  }

  has(id: string): boolean {
    return id === this.base.id || this.adapters.has(id);
  }

  /**
   * Loads `policy.onnx` of an adapter folder under its content name; loading the same content again changes nothing.
   * @throws AppError `resource.not_found` for a missing file, `resource.conflict` for a name in use with other content or too
   * many adapters, `adapter.refused` for a graph that cannot be served.
   */
  async load(name: string, path: string): Promise<void> {
    if (!ADAPTER_NAME.test(name) || name === this.base.id)
      throw new AppError('request.invalid', { public: `${name} cannot name an adapter.` });
    const digest = digestOf(path);
    const known = this.adapters.get(name);
    if (known?.digest === digest) return;
    if (known || this.loading.has(name))
      throw new AppError('resource.conflict', { public: `The name ${name} is in use by another adapter.` });
    if (this.adapters.size + this.loading.size >= MAX_ADAPTERS)
      throw new AppError('resource.conflict', {
        public: `${MAX_ADAPTERS} adapters are loaded, the most that fit; unload one first.`,
      });
    this.loading.add(name);
    try {
      const model = await KvModel.load(join(path, 'policy.onnx'), this.options.threads);
      this.options.scheduler.add(name, model);
      this.adapters.set(name, { id: name, root: path, parent: this.base.id, digest });
    } finally {
      this.loading.delete(name);
    }
  }

  /** @throws AppError `resource.not_found` */
  async unload(name: string): Promise<void> {
    if (!this.adapters.delete(name))
      throw new AppError('resource.not_found', { public: `No adapter ${name} is loaded.` });
    await this.options.scheduler.remove(name);
  }
}

function digestOf(path: string): string {
  const files = ['policy.onnx', 'adapter_config.json'].map((file) => join(path, file));
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined)
    throw new AppError('resource.not_found', { public: `The adapter lacks ${missing}.` });
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
}
