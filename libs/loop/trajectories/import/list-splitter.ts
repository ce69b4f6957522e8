import type { Row } from './row-reader.js';

/** Cuts the text of a JSON list into its elements without parsing them, whatever the chunks' borders. */
export class ListSplitter {
  private element = '';
  private index = 0;
  private depth = 0;
  private inString = false;
  private escaped = false;
  private state: 'before' | 'inside' | 'after' = 'before';
  private tooLong = false;
  private trailing = false;

  constructor(
    private readonly maxChars: number,
    private readonly tooLongText: string,
  ) {}

  *take(text: string): Generator<Row> {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const char = text.charCodeAt(at);
      if (this.state !== 'inside') {
        this.outside(char);
        from = at + 1;
      } else if (this.endsElement(char)) {
        this.keep(text.slice(from, at));
        yield* this.close();
        if (char === CLOSE_LIST) this.state = 'after';
        from = at + 1;
      }
    }
    if (this.state === 'inside') this.keep(text.slice(from));
  }

  *end(): Generator<Row> {
    if (this.state === 'inside') yield { line: this.index + 1, error: 'the list is cut off here' };
    if (this.trailing) yield { line: this.index + 1, error: 'there is text after the end of the list' };
  }

  private outside(char: number): void {
    if (this.state === 'before' && char === OPEN_LIST) this.state = 'inside';
    else if (this.state === 'after' && !isSpace(char)) this.trailing = true;
  }

  /** Follows strings and brackets; true at the comma or bracket that ends an element of the list itself. */
  private endsElement(char: number): boolean {
    if (this.inString) {
      if (this.escaped) this.escaped = false;
      else if (char === BACKSLASH) this.escaped = true;
      else if (char === QUOTE) this.inString = false;
      return false;
    }
    if (char === QUOTE) this.inString = true;
    else if (char === OPEN_LIST || char === OPEN_OBJECT) this.depth += 1;
    else if ((char === CLOSE_LIST || char === CLOSE_OBJECT) && this.depth > 0) this.depth -= 1;
    else return this.depth === 0 && (char === COMMA || char === CLOSE_LIST);
    return false;
  }

  private keep(text: string): void {
    if (this.tooLong) return;
    this.element += text;
    if (this.element.length <= this.maxChars) return;
    this.tooLong = true;
    this.element = '';
  }

  private *close(): Generator<Row> {
    const text = this.element.trim();
    if (this.tooLong || text !== '') this.index += 1;
    if (this.tooLong) yield { line: this.index, error: this.tooLongText };
    else if (text !== '') yield { line: this.index, text };
    this.element = '';
    this.tooLong = false;
  }
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

function isSpace(char: number): boolean {
  return char === 32 || char === 10 || char === 13 || char === 9;
}
