/** A history grows from call to call: what was looked at in one text need not be looked at again in the next. */

/** Shorter texts are looked at faster than compared. */
const MIN_CHARS = 512;
/** More than the longest that any probe can match (an address with a name and a password), so none is cut in two. */
const OVERLAP_CHARS = 512;
const REMEMBERED = 8;

/** Texts that hold no secret, newest first. Holds texts: make one for each request. */
export class CleanBeginnings {
  private readonly texts: string[] = [];

  /** The part of a text that must be looked at. */
  unseenPart(text: string): string {
    if (text.length < MIN_CHARS) return text;
    for (const seen of this.texts) {
      // The last sign closes the list that the next text goes on with.
      const common = seen.length - 1;
      if (common < text.length && text.slice(0, common) === seen.slice(0, common))
        return text.slice(Math.max(0, common - OVERLAP_CHARS));
    }
    return text;
  }

  add(text: string): void {
    if (text.length < MIN_CHARS) return;
    this.texts.unshift(text);
    if (this.texts.length > REMEMBERED) this.texts.pop();
  }
}
