import type { EventLog } from '#platform/stream';
import { SpanIntake } from '../collector/span-intake.js';
import type { Span } from '../domain/span.js';
import type { SecretMasker } from '../masking/secret-masker.js';
import type { BigFields } from '../storage/big-fields.js';
import { encodeSpans, SPANS_TOPIC } from './span-message.js';

/** With a stream between: the request is answered once the brokers have the spans; `SpanIngest` stores them. */
export class StreamSpanIntake extends SpanIntake {
  constructor(
    masker: SecretMasker,
    bigFields: BigFields,
    private readonly log: EventLog,
  ) {
    super(masker, bigFields);
  }

  protected override keep(projectId: string, spans: readonly Span[]): Promise<void> {
    return this.log.append(SPANS_TOPIC, encodeSpans(projectId, spans));
  }
}
