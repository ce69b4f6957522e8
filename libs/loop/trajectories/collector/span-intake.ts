import { Injectable } from '@nestjs/common';
import type { Span } from '../domain/span.js';
import { SecretMasker } from '../masking/secret-masker.js';
import { BigFields } from '../storage/big-fields.js';
import { SpansRepository } from '../spans.repository.js';

/**
 * The way of received spans into the store. Everything that comes from outside passes here and nowhere else. Secrets are
 * replaced in `accept`, before anything durable, and large texts put aside: what carries the spans on implements `keep`.
 */
export abstract class SpanIntake {
  protected constructor(
    private readonly masker: SecretMasker,
    private readonly bigFields: BigFields,
  ) {}

  /** Resolves when the spans are durable. @throws AppError store.unavailable: the sender tries again. */
  async accept(projectId: string, spans: readonly Span[]): Promise<void> {
    await this.keep(projectId, await this.bigFields.claim(projectId, this.masker.spans(projectId, spans)));
  }

  protected abstract keep(projectId: string, spans: readonly Span[]): Promise<void>;
}

/** Without a stream between: the request is answered once the rows are stored. */
@Injectable()
export class DirectSpanIntake extends SpanIntake {
  constructor(
    masker: SecretMasker,
    bigFields: BigFields,
    private readonly spans: SpansRepository,
  ) {
    super(masker, bigFields);
  }

  protected override keep(projectId: string, spans: readonly Span[]): Promise<void> {
    return this.spans.addSpans(projectId, spans);
  }
}
