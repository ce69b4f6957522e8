/** The last sign of a prefix: texts hold few of them, so a search goes from one to the next. */
export type Sign = '-' | '_' | '.';

/** One kind of secret: how to suspect it cheaply, how to find it, and how to be sure. */
export interface SecretRule {
  /** Stands in the replacement; lower-case words. */
  kind: string;
  /** What every hit contains, cheap to look for: a sign with the prefix before it, or an expression of its own. */
  probe: { prefix: string; sign: Sign } | { expression: string };
  /**
   * Global. Its group `secret` (a match without one: all of it) is what is replaced; groups need the flag `d`. It must be
   * linear: quantifiers are bounded or over one class.
   */
  pattern: RegExp;
  /** Whether the value may follow a letter, a digit or another sign of base64: only where the pattern has its own context. */
  insideWord?: true;
  /** False leaves the text alone. `at` is where the secret begins. */
  confirm?: (secret: string, text: string, at: number) => boolean;
}

/** What stands in a secret's place. Equal secrets must give equal text. */
export type Replace = (kind: string, secret: string) => string;

/** Words hold one kind of letter; what was drawn at random mixes letters and digits, and repeats little. */
export function looksRandom(value: string, minBits = 3): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyBits(value) >= minBits;
}

/** Shannon entropy of the characters, in bits a character. */
export function entropyBits(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** Between a name and its value: quotes, also escaped ones, space, and the sign itself. */
export const ASSIGNED = String.raw`["'\\\s]{0,6}(?:[:=]|=>)["'\\\s[]{0,8}`;

/** A value of some length assigned to something that is called a key, a token or a secret. */
export const ASSIGNED_SECRET = `(?:[Kk]ey|KEY|[Tt]oken|TOKEN|[Ss]ecret|SECRET)${ASSIGNED}[A-Za-z0-9_./+=~-]{16}`;
