import { AsyncLocalStorage } from 'node:async_hooks';

import { AppError } from '#kernel/errors';

import { EventStream, type BatchHandler, type StreamMessage, type Topic } from './event-stream.js';

export interface InProcessOptions {
  /** Messages of one group that may wait or be in work before publishing is refused. */
  maxPendingMessages?: number;
}

interface Subscription {
  readonly group: string;
  readonly handler: BatchHandler<unknown>;
  pendingMessages: number;
  tail: Promise<unknown>;
}

/** The embedded stream: publishing waits for every group to have handled the batch, so nothing is held that a crash could lose. */
export class InProcessEventStream extends EventStream {
  private readonly subscriptions = new Map<string, Subscription[]>();
  private readonly handling = new AsyncLocalStorage<ReadonlySet<Subscription>>();
  private readonly maxPendingMessages: number;
  private isClosed = false;

  constructor({ maxPendingMessages = 10_000 }: InProcessOptions = {}) {
    super();
    this.maxPendingMessages = maxPendingMessages;
  }

  async publish<T>(topic: Topic<T>, messages: readonly StreamMessage<T>[]): Promise<void> {
    if (messages.length === 0) return;
    const subscriptions = this.subscriptions.get(topic.name) ?? [];
    this.assertRoom(topic.name, subscriptions, messages.length);
    const results = await Promise.allSettled(
      subscriptions.map((subscription) => this.deliver(subscription, messages)),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  subscribe<T>(topic: Topic<T>, group: string, handler: BatchHandler<T>): Promise<void> {
    const subscriptions = this.subscriptions.get(topic.name) ?? [];
    if (subscriptions.some((existing) => existing.group === group)) {
      throw new AppError('internal', {
        public: `Group ${group} already reads ${topic.name} in this process.`,
      });
    }
    subscriptions.push({
      group,
      handler: handler as BatchHandler<unknown>,
      pendingMessages: 0,
      tail: Promise.resolve(),
    });
    this.subscriptions.set(topic.name, subscriptions);
    return Promise.resolve();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.subscriptions.values()].flat().map(({ tail }) => tail));
  }

  private assertRoom(topicName: string, subscriptions: readonly Subscription[], count: number): void {
    const isFull = subscriptions.some(
      // A single batch above the limit must get through when nothing else waits.
      ({ pendingMessages }) => pendingMessages > 0 && pendingMessages + count > this.maxPendingMessages,
    );
    if (!isFull && !this.isClosed) return;
    throw new AppError('store.unavailable', {
      public: this.isClosed
        ? 'Ratchet is stopping. Send this again.'
        : 'Too much is waiting to be stored. Send this again shortly.',
      detail: { topic: topicName },
    });
  }

  /** Batches of a group are handled one after the other, in the order of their publishing. */
  private deliver(subscription: Subscription, messages: readonly StreamMessage<unknown>[]): Promise<void> {
    const outer = this.handling.getStore() ?? new Set();
    if (outer.has(subscription)) {
      const public_ = `Group ${subscription.group} published to a topic while it handled a batch of it: it would wait for itself.`;
      return Promise.reject(new AppError('internal', { public: public_ }));
    }
    subscription.pendingMessages += messages.length;
    const done = subscription.tail
      .then(() => this.handling.run(new Set([...outer, subscription]), () => subscription.handler(messages)))
      .finally(() => (subscription.pendingMessages -= messages.length));
    subscription.tail = done.catch(() => undefined);
    return done;
  }
}
