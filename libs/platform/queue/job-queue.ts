export type NotifyHandler = (jobId: string) => void;

/** Says "look". A notice that is lost loses nothing: workers also look by themselves, and the job's row is the truth. */
export abstract class JobQueue {
  /** Tells the workers of `kind` that this job may be claimed. */
  abstract notify(kind: string, jobId: string): Promise<void>;

  /** Calls `handler` at every notice of `kind`; returns what ends it. */
  abstract onNotify(kind: string, handler: NotifyHandler): () => void;

  abstract close(): Promise<void>;
}

/** Notices within one process. */
export class InProcessJobQueue extends JobQueue {
  private readonly handlers = new Map<string, Set<NotifyHandler>>();

  notify(kind: string, jobId: string): Promise<void> {
    // After the caller's own statement: a handler must not run inside the caller's transaction.
    setImmediate(() => this.handlers.get(kind)?.forEach((handler) => handler(jobId)));
    return Promise.resolve();
  }

  onNotify(kind: string, handler: NotifyHandler): () => void {
    const handlers = this.handlers.get(kind) ?? new Set();
    this.handlers.set(kind, handlers.add(handler));
    return () => void handlers.delete(handler);
  }

  close(): Promise<void> {
    this.handlers.clear();
    return Promise.resolve();
  }
}
