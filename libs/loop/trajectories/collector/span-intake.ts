import { Injectable } from '@nestjs/common';
import type { Span } from '../domain/span.js';
import { SpansRepository } from '../spans.repository.js';

/**
 * The way of received spans into the store. Everything that comes from outside passes here and nowhere else, before
 * anything durable: what hides or cuts fields belongs in front of `accept`'s store.
 */
export abstract class SpanIntake {
  /** Resolves when the spans are durable. @throws AppError store.unavailable: the sender tries again. */
  abstract accept(projectId: string, spans: readonly Span[]): Promise<void>;
}

/** Without a stream between: the request is answered once the rows are stored. */
@Injectable()
export class DirectSpanIntake extends SpanIntake {
  constructor(private readonly spans: SpansRepository) {
    super();
  }

  override accept(projectId: string, spans: readonly Span[]): Promise<void> {
    return this.spans.addSpans(projectId, spans);
  }
}
