import { Module } from '@nestjs/common';
import { Assembler } from './assembler.service.js';
import { AssemblySweep } from './assembly-sweep.js';
import { DirectSpanIntake, SpanIntake } from './collector/span-intake.js';
import { CompletedFeed } from './completed-feed.js';
import { ImportService } from './import/import.service.js';
import { AssemblyJob } from './jobs.js';
import { SecretMasker } from './masking/secret-masker.js';
import { ReceiptSequence } from './receipt-sequence.js';
import { SpansRepository } from './spans.repository.js';
import { TrajectoriesRepository } from './trajectories.repository.js';
import { Trajectories } from './trajectories.service.js';

/** Reads, captures, and what the collector's controllers need. Starts nothing. The app provides `MaskingKey`. */
@Module({
  providers: [
    ReceiptSequence,
    SecretMasker,
    SpansRepository,
    TrajectoriesRepository,
    Trajectories,
    CompletedFeed,
    Assembler,
    AssemblySweep,
    ImportService,
    { provide: SpanIntake, useClass: DirectSpanIntake },
  ],
  exports: [Trajectories, SpanIntake, ImportService, AssemblySweep],
})
export class TrajectoriesModule {}

/** The ingesting process's part: looks for complete traces and has them assembled. Once a deployment's partition. */
@Module({ imports: [TrajectoriesModule], providers: [AssemblyJob] })
export class AssemblyModule {}
