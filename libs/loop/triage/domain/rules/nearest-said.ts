/** Finds the word that a value was probably meant to copy. */
import type { RunView } from '../run-view.js';
import { editDistance, wordsOf } from '../text.js';

const MIN_LENGTH = 4;
const WORDS_A_RUN = 5_000;

interface Said {
  word: string;
  step: number;
}

const vocabularies = new WeakMap<RunView, Said[]>();

/**
 * The word said before step `before` that differs from `value` by one or two edits (at most a quarter of its length), or
 * null. Numbers are never near one another: another number is another row, not a slip.
 */
export function nearestSaid(run: RunView, value: string, before: number): string | null {
  const wanted = value.toLowerCase();
  if (wanted.length < MIN_LENGTH || !/^[\p{L}\p{N}_-]+$/u.test(wanted) || /^\d+$/.test(wanted)) return null;
  const limit = Math.min(2, Math.floor(wanted.length / 4));
  let best: { word: string; distance: number } | null = null;
  for (const { word, step } of vocabularyOf(run)) {
    if (step >= before || /^\d+$/.test(word)) continue;
    const distance = editDistance(wanted, word, limit);
    if (distance > 0 && distance <= limit && distance < (best?.distance ?? Infinity))
      best = { word, distance };
  }
  return best?.word ?? null;
}

function vocabularyOf(run: RunView): Said[] {
  const known = vocabularies.get(run);
  if (known !== undefined) return known;
  const steps = new Map<string, number>();
  for (const said of run.said) {
    if (steps.size >= WORDS_A_RUN) break;
    for (const word of wordsOf(said.text)) {
      if (word.length >= MIN_LENGTH - 1 && !steps.has(word)) steps.set(word, said.step.index);
    }
  }
  const made = [...steps].map(([word, step]) => ({ word, step }));
  vocabularies.set(run, made);
  return made;
}
