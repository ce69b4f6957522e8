/**
 * One insert at a time; what comes in meanwhile goes with the next one, and each caller is answered when its own rows are
 * stored. Busy times make large inserts, quiet times small ones, and rows are stored in the order of their sequence.
 */
export class GroupCommit<T> {
  private waiting: { rows: readonly T[]; done: () => void; failed: (error: unknown) => void }[] = [];
  private running = false;

  constructor(
    private readonly store: (rows: T[]) => Promise<void>,
    private readonly maxRows: number,
  ) {}

  /** @throws what `store` throws for the insert that held these rows: none of them is then acknowledged. */
  add(rows: readonly T[]): Promise<void> {
    if (rows.length === 0) return Promise.resolve();
    const stored = new Promise<void>((done, failed) => this.waiting.push({ rows, done, failed }));
    if (!this.running) void this.drain();
    return stored;
  }

  private async drain(): Promise<void> {
    this.running = true;
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        await this.store(batch.flatMap((entry) => [...entry.rows]));
        for (const entry of batch) entry.done();
      } catch (error) {
        for (const entry of batch) entry.failed(error);
      }
    }
    this.running = false;
  }

  private takeBatch(): typeof this.waiting {
    let rows = 0;
    let take = 0;
    for (const entry of this.waiting) {
      if (take > 0 && rows + entry.rows.length > this.maxRows) break;
      rows += entry.rows.length;
      take += 1;
    }
    return this.waiting.splice(0, take);
  }
}
