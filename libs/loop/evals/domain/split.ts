/** Splits by lineage (design §6): one function, from lineage key and keyed hash, fixes a lineage's split for ever. */
import type { Split } from '#contracts/environment';
import { AppError } from '#kernel/errors';
import { contentHash } from '#kernel/ids';

/** Half of the lineages train; of the rest, most are held out. Changing a share would move lineages: never do. */
const TRAIN_BELOW = 0.5;
const VALIDATION_BELOW = 0.65;

/**
 * The split of a lineage. A split that an environment declares wins over this.
 * @param key secret of the project, so that nobody can choose a lineage key that lands where they like.
 */
export function splitOf(lineageKey: string, key: string): Split {
  const point = Number.parseInt(contentHash(['split', key, lineageKey], 12), 16) / 16 ** 12;
  if (point < TRAIN_BELOW) return 'train';
  return point < VALIDATION_BELOW ? 'validation' : 'heldout';
}

/** When groups merge across splits, held-out wins, then validation: what was sealed stays sealed. */
export function mergedSplit(splits: readonly Split[]): Split {
  if (splits.includes('heldout')) return 'heldout';
  return splits.includes('validation') ? 'validation' : 'train';
}

/** Lineage keys that are in both lists, sorted; empty is the proof that the seal holds. */
export function overlapOf(manifestKeys: readonly string[], heldoutKeys: readonly string[]): string[] {
  const heldout = new Set(heldoutKeys);
  return [...new Set(manifestKeys)].filter((key) => heldout.has(key)).sort();
}

/** @throws AppError `resource.conflict` naming lineages that are both trained on and held out. */
export function assertDisjoint(manifestKeys: readonly string[], heldoutKeys: readonly string[]): void {
  const overlap = overlapOf(manifestKeys, heldoutKeys);
  if (overlap.length === 0) return;
  throw new AppError('resource.conflict', {
    public: `${overlap.length} lineages are both trained on and held out, e.g. ${overlap.slice(0, 3).join(', ')}.`,
    detail: { overlap: overlap.slice(0, 50) },
  });
}
