import { Module } from '@nestjs/common';
import { Assembler } from './assembler.service.js';
import { AssemblySweep } from './assembly-sweep.js';
import { DirectSpanIntake, SpanIntake } from './collector/span-intake.js';
import { LangfuseFactsRepository } from './collector/langfuse/langfuse-facts.repository.js';
import { LangfuseIntake } from './collector/langfuse/langfuse-intake.js';
import { CompletedFeed } from './completed-feed.js';
import { FeedbackJoin } from './feedback/feedback-join.js';
import { FeedbackRepository } from './feedback/feedback.repository.js';
import { FeedbackService } from './feedback/feedback.service.js';
import { FeedbackSweep } from './feedback/feedback-sweep.js';
import { IngestJob } from './ingest/ingest.job.js';
import { StreamLink } from './ingest/stream-link.js';
import { IngestProgress, NothingBetween, StreamProgress } from './ingest/stream-progress.js';
import { StreamSpanIntake } from './ingest/stream-span-intake.js';
import { ImportService } from './import/import.service.js';
import { AssemblyJob } from './jobs.js';
import { SecretMasker } from './masking/secret-masker.js';
import { ReceiptSequence } from './receipt-sequence.js';
import { SpansRepository } from './spans.repository.js';
import { BigFields } from './storage/big-fields.js';
import { TrajectoriesRepository } from './trajectories.repository.js';
import { Trajectories } from './trajectories.service.js';

/** Reads, captures, and what the collector's controllers need. Starts nothing. The app provides `MaskingKey` and `StreamLink`. */
@Module({
  providers: [
    ReceiptSequence,
    SecretMasker,
    BigFields,
    SpansRepository,
    TrajectoriesRepository,
    Trajectories,
    CompletedFeed,
    FeedbackRepository,
    FeedbackJoin,
    FeedbackService,
    FeedbackSweep,
    LangfuseFactsRepository,
    LangfuseIntake,
    Assembler,
    AssemblySweep,
    ImportService,
    DirectSpanIntake,
    {
      provide: SpanIntake,
      inject: [StreamLink, SecretMasker, BigFields, DirectSpanIntake],
      useFactory: (
        { log }: StreamLink,
        masker: SecretMasker,
        bigFields: BigFields,
        direct: DirectSpanIntake,
      ): SpanIntake => (log === null ? direct : new StreamSpanIntake(masker, bigFields, log)),
    },
    {
      provide: StreamProgress,
      inject: [StreamLink],
      useFactory: ({ log }: StreamLink): StreamProgress =>
        log === null ? new NothingBetween() : new IngestProgress(log),
    },
  ],
  exports: [
    Trajectories,
    SpanIntake,
    ImportService,
    AssemblySweep,
    SpansRepository,
    FeedbackService,
    FeedbackSweep,
    LangfuseIntake,
  ],
})
export class TrajectoriesModule {}

/** The ingesting process's part: stores what the stream brings, looks for complete traces and has them assembled. Once a deployment's partition. */
@Module({ imports: [TrajectoriesModule], providers: [AssemblyJob, IngestJob] })
export class AssemblyModule {}
