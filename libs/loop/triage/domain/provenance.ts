/** Where a value of a call comes from: said by the user, by the system prompt, by an observation, or by nobody. */
import type { RunView, SaidText } from './run-view.js';
import { indexOfWord } from './text.js';

export type Origin = SaidText['origin'];

/** First step of each origin that says the value; an origin that never does is left out. */
export type Sources = Partial<Record<Origin, number>>;

/** Characters searched for one run, all values together; past it values count as unknown, never as invented. */
const SEARCH_BUDGET_CHARS = 200_000_000;

interface Corpus {
  text: string;
  /** Where each said text begins, ascending, and its step. */
  starts: number[];
  steps: number[];
}

export class Provenance {
  private readonly corpora: ReadonlyMap<Origin, Corpus>;
  private readonly known = new Map<string, Sources>();
  private budget = SEARCH_BUDGET_CHARS;

  constructor(run: RunView) {
    const origins: readonly Origin[] = ['system', 'user', 'observation'];
    this.corpora = new Map(
      origins.map((origin) => [origin, corpusOf(run.said.filter((said) => said.origin === origin))]),
    );
  }

  /**
   * Where the value was said before step `before`; null where the search was too costly to know.
   * The value counts as said when it stands as a word (or words) of its own, whatever its case.
   */
  of(value: string | number | boolean, before: number): Sources | null {
    const needle = normalised(String(value));
    if (needle === '') return null;
    const sources = this.known.get(needle) ?? this.search(needle);
    if (sources === null) return null;
    this.known.set(needle, sources);
    return Object.fromEntries(Object.entries(sources).filter(([, step]) => step < before));
  }

  /** Nobody said it before that step. False where that is not known. */
  isFromNowhere(value: string | number | boolean, before: number): boolean {
    const sources = this.of(value, before);
    return sources !== null && Object.keys(sources).length === 0;
  }

  private search(needle: string): Sources | null {
    const sources: Sources = {};
    for (const [origin, corpus] of this.corpora) {
      this.budget -= corpus.text.length;
      if (this.budget < 0) return null;
      const at = indexOfWord(corpus.text, needle);
      if (at >= 0) sources[origin] = stepAt(corpus, at);
    }
    return sources;
  }
}

/** Outer punctuation carries no identity: `#W123` is the user's `W123`. */
function normalised(value: string): string {
  return value.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

function corpusOf(texts: readonly SaidText[]): Corpus {
  const starts: number[] = [];
  let length = 0;
  const lowered = texts.map(({ text }) => {
    const lower = text.toLowerCase();
    starts.push(length);
    length += lower.length + 1;
    return lower;
  });
  return { text: lowered.join('\n'), starts, steps: texts.map(({ step }) => step.index) };
}

function stepAt(corpus: Corpus, at: number): number {
  let low = 0;
  let high = corpus.starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((corpus.starts[middle] ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return corpus.steps[low] ?? 0;
}

const provenances = new WeakMap<RunView, Provenance>();

/** One search index a run, shared by the rules. */
export function provenanceOf(run: RunView): Provenance {
  const known = provenances.get(run);
  if (known !== undefined) return known;
  const made = new Provenance(run);
  provenances.set(run, made);
  return made;
}
