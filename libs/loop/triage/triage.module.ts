import { Module } from '@nestjs/common';
import { TrajectoriesModule } from '#loop/trajectories';
import { BucketsRepository } from './buckets.repository.js';
import { Buckets } from './buckets.service.js';
import { FailuresRepository } from './failures.repository.js';
import { TriageJob } from './jobs.js';
import { Triage } from './triage.service.js';
import { Triager } from './triager.service.js';

@Module({
  imports: [TrajectoriesModule],
  providers: [BucketsRepository, Buckets, FailuresRepository, Triage, Triager, TriageJob],
  exports: [Triage, Triager],
})
export class TriageModule {}
