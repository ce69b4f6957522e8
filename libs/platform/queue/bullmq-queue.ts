import { Queue, Worker, type ConnectionOptions } from 'bullmq';

import { messageOf } from '#kernel/errors';
import type { Log } from '#platform/telemetry';

import { JobQueue, type NotifyHandler } from './job-queue.js';

export interface BullMqOptions {
  /** `redis://…` or `rediss://…`. */
  url: string;
  /** Before every key, so that several Ratchets may share one Redis. */
  prefix?: string;
  log: Log;
}

interface Listening {
  readonly worker: Worker;
  readonly handlers: Set<NotifyHandler>;
}

const NOTICE = 'look';
/** A notice is worth little late: workers look by themselves too. */
const NOTIFY_WAIT_MS = 2_000;

/**
 * Notices between processes through Redis (or Valkey): each goes to one process that listens for its kind. Redis away delays
 * work by one look of the workers' own and stops nothing.
 */
export class BullMqJobQueue extends JobQueue {
  private readonly queues = new Map<string, Queue>();
  private readonly listening = new Map<string, Listening>();
  private readonly url: string;
  private readonly prefix: string;
  private readonly log: Log;

  constructor({ url, prefix = 'ratchet', log }: BullMqOptions) {
    super();
    this.url = url;
    this.prefix = prefix;
    this.log = log;
  }

  override async notify(kind: string, jobId: string): Promise<void> {
    const added = this.queueOf(kind).add(NOTICE, { jobId }, { removeOnComplete: true, removeOnFail: true });
    try {
      await within(NOTIFY_WAIT_MS, added);
    } catch (error) {
      this.log.warn('queue.noticeLost', { kind, jobId, message: messageOf(error) });
    }
  }

  override onNotify(kind: string, handler: NotifyHandler): () => void {
    const listening = this.listening.get(kind) ?? this.listen(kind);
    listening.handlers.add(handler);
    return () => {
      listening.handlers.delete(handler);
      if (listening.handlers.size > 0 || this.listening.get(kind) !== listening) return;
      this.listening.delete(kind);
      // What is on its way to this process goes to another; nothing waits for it here.
      void listening.worker.close(true).catch(() => undefined);
    };
  }

  override async close(): Promise<void> {
    const ending = [...[...this.listening.values()].map(({ worker }) => worker), ...this.queues.values()];
    this.listening.clear();
    this.queues.clear();
    await Promise.all(ending.map((part) => part.close().catch(() => undefined)));
  }

  private listen(kind: string): Listening {
    const handlers = new Set<NotifyHandler>();
    const worker = new Worker<{ jobId: string }>(
      queueName(kind),
      ({ data }) => {
        for (const handler of handlers) handler(data.jobId);
        return Promise.resolve();
      },
      { connection: this.connection({ maxRetriesPerRequest: null }), prefix: this.prefix },
    );
    worker.on('error', (error) => this.log.warn('queue.driver', { kind, message: messageOf(error) }));
    const listening = { worker, handlers };
    this.listening.set(kind, listening);
    return listening;
  }

  private queueOf(kind: string): Queue {
    const known = this.queues.get(kind);
    if (known !== undefined) return known;
    // Without Redis a notice fails at once in place of waiting in memory.
    const connection = this.connection({ enableOfflineQueue: false, maxRetriesPerRequest: 1 });
    const queue = new Queue(queueName(kind), { connection, prefix: this.prefix });
    queue.on('error', (error) => this.log.warn('queue.driver', { kind, message: messageOf(error) }));
    this.queues.set(kind, queue);
    return queue;
  }

  private connection(options: {
    maxRetriesPerRequest: number | null;
    enableOfflineQueue?: boolean;
  }): ConnectionOptions {
    return { url: this.url, ...options, retryStrategy: (times) => Math.min(100 * 2 ** times, 5_000) };
  }
}

/** BullMQ keeps `:` for its own keys. */
function queueName(kind: string): string {
  return kind.replaceAll(':', '.');
}

async function within<T>(limitMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('Redis does not answer')), limitMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
