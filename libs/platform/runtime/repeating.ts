/**
 * Work done again and again, one at a time: the next one begins `everyMs` after the last one ended. The work itself says
 * what a failure means; one that it lets through stops nothing.
 */
export class Repeating {
  private timer: NodeJS.Timeout | null = null;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly work: () => Promise<void>,
    private readonly everyMs: number,
  ) {}

  /** @param first done at once in place of the first wait. */
  start(first?: () => Promise<void>): void {
    if (first === undefined) this.wait();
    else this.run(first);
  }

  /** Begins nothing more and waits for what runs. */
  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.running;
  }

  private wait(): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => this.run(this.work), this.everyMs);
  }

  private run(work: () => Promise<void>): void {
    this.running = work().finally(() => this.wait());
  }
}
