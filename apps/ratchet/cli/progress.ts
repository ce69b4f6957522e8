/** A line of progress on a terminal: redrawn in place where it can be, else one line a change. */
export function progressBar(share: number | null, width = 20): string {
  if (share === null) return `[${'·'.repeat(width)}]`;
  const full = Math.max(0, Math.min(width, Math.round(share * width)));
  return `[${'█'.repeat(full)}${' '.repeat(width - full)}]`;
}

export class ProgressLine {
  private last = '';

  constructor(private readonly stream: NodeJS.WriteStream) {}

  show(text: string): void {
    if (text === this.last) return;
    this.last = text;
    if (this.stream.isTTY) this.stream.write(`\r\u001b[2K${text}`);
    else this.stream.write(`${text}\n`);
  }

  /** Keeps what stands and goes to the next line. */
  keep(): void {
    if (this.stream.isTTY && this.last !== '') this.stream.write('\n');
    this.last = '';
  }
}
