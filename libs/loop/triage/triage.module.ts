import { Module } from '@nestjs/common';
import { TrajectoriesModule, TrajectoryAnnotations } from '#loop/trajectories';
import { TriageAnnotations } from './annotations.js';
import { BucketsRepository } from './buckets.repository.js';
import { Buckets } from './buckets.service.js';
import { FailuresRepository } from './failures.repository.js';
import { TriageJob } from './jobs.js';
import { Triage } from './triage.service.js';
import { Triager } from './triager.service.js';

@Module({
  imports: [TrajectoriesModule],
  providers: [
    BucketsRepository,
    Buckets,
    FailuresRepository,
    Triage,
    Triager,
    TriageJob,
    TriageAnnotations,
    { provide: TrajectoryAnnotations, useExisting: TriageAnnotations },
  ],
  exports: [Triage, Triager, TriageAnnotations, TrajectoryAnnotations],
})
export class TriageModule {}
