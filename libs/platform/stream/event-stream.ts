import type { z } from 'zod';

/** A named channel and the form of its values; values are plain JSON data. */
export interface Topic<T> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
}

export function defineTopic<T>(name: string, schema: z.ZodType<T>): Topic<T> {
  return { name, schema };
}

export interface StreamMessage<T> {
  /** Messages with one key keep their order. */
  key: string;
  /** Not to be changed by a handler: other groups may hold the same object. */
  value: T;
  /** Carried along: trace id, source. */
  headers?: Readonly<Record<string, string>>;
}

/** Handles a batch whole. A batch may come again after a failure, so handling it twice must leave what once does. */
export type BatchHandler<T> = (messages: readonly StreamMessage<T>[]) => Promise<void>;

/** Publish and subscribe by topic and consumer group; delivery is at least once. */
export abstract class EventStream {
  /**
   * Resolves when the messages are safe: stored by every group (in process), or acknowledged by the brokers.
   * @throws AppError `store.unavailable` when the buffer is full: answer 503 and let the sender try again.
   */
  abstract publish<T>(topic: Topic<T>, messages: readonly StreamMessage<T>[]): Promise<void>;

  /** Each group gets every message once; the members of a group share them. */
  abstract subscribe<T>(topic: Topic<T>, group: string, handler: BatchHandler<T>): Promise<void>;

  /** Finishes what is being handled, then ends. */
  abstract close(): Promise<void>;
}
