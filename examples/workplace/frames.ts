/**
 * Frames: one core sentence each (verb × object × order), split once and for all. A held-out frame is a verb–object pair
 * that never occurs together in training, in any order; every one of its words does. Openers and closers are decoration.
 */
import type { Split } from '#contracts/environment';
import type { Rng } from '#kernel/random';
import { FAMILIES, GRAMMAR, type Family } from './families.js';

export interface Frame {
  /** The lineage key: `<family>/<verb>x<object>.<order>`. */
  id: string;
  family: Family;
  split: Split;
  /** Verb–object pair, the unit that is held out. */
  pair: string;
  template: string;
  /** The verb comes last: openers such as "please" would not read well. */
  topicalised: boolean;
}

const OPENERS = [
  '',
  'please ',
  'can you ',
  'hey , ',
  'i need you to ',
  'kindly ',
  'could you ',
  'hi , please ',
];
const TOPIC_OPENERS = ['', 'hey , ', 'hi , '];
const CLOSERS = ['', ' thanks', ' today', ' now', ' please'];
const HELDOUT_OPENERS = ['can you please ', 'hey , can you ', 'hi , i need you to ', 'could you kindly '];
const HELDOUT_TOPIC_OPENERS = ['hi hey , '];
const HELDOUT_CLOSERS = [' now thanks', ' today please'];

/**
 * Of 24 pairs a family, 7 are held out and 3 validate. The pattern leaves each verb and each object at least two
 * training pairs, so no word of a held-out frame is new.
 */
function splitOfPair(verb: number, object: number): Split {
  const diagonal = (verb + object) % 4;
  if (diagonal === 0 || (diagonal === 2 && verb === 5)) return 'heldout';
  return diagonal === 2 && verb % 2 === 0 ? 'validation' : 'train';
}

export const FRAMES: readonly Frame[] = FAMILIES.flatMap((family) =>
  GRAMMAR[family].verbs.flatMap((verb, v) =>
    GRAMMAR[family].patterns.flatMap((pattern, o) =>
      pattern.map((text, order) => ({
        id: `${family}/${v}x${o}.${order}`,
        family,
        split: splitOfPair(v, o),
        pair: `${family}/${v}x${o}`,
        template: text.replace('@', verb),
        topicalised: !text.startsWith('@'),
      })),
    ),
  ),
);

export function framesOf(family: Family, split: Split): Frame[] {
  return FRAMES.filter((frame) => frame.family === family && frame.split === split);
}

/** The frame's template between an opener and a closer; only held-out tasks use the held-out decorations. */
export function decorate(rng: Rng, frame: Frame): string {
  const heldout = frame.split === 'heldout';
  const known = frame.topicalised ? TOPIC_OPENERS : OPENERS;
  const fresh = frame.topicalised ? HELDOUT_TOPIC_OPENERS : HELDOUT_OPENERS;
  const opener = rng.pick(heldout && rng.next() < 0.5 ? fresh : known);
  const closer = rng.pick(heldout && rng.next() < 0.3 ? HELDOUT_CLOSERS : CLOSERS);
  return opener + frame.template + closer;
}

/** Every word a sentence may hold besides its slots: the tokenizer's vocabulary. */
export function sentenceWords(): string[] {
  const texts = [
    ...FRAMES.map((frame) => frame.template),
    ...OPENERS,
    ...TOPIC_OPENERS,
    ...CLOSERS,
    ...HELDOUT_OPENERS,
    ...HELDOUT_TOPIC_OPENERS,
    ...HELDOUT_CLOSERS,
  ];
  const words = texts.flatMap((text) => text.replace(/\{.\}/g, ' ').split(/\s+/));
  return [...new Set(words)].filter((word) => word !== '').sort();
}
