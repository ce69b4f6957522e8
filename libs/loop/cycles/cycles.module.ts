import { Module } from '@nestjs/common';
import { EnvironmentsModule } from '#loop/environments';
import { EvalsModule } from '#loop/evals';
import { GatesModule } from '#loop/gates';
import { RegistryModule } from '#loop/registry';
import { ServingModule } from '#loop/serving';
import { TrainingModule } from '#loop/training';
import { TrajectoriesModule } from '#loop/trajectories';
import { TriageModule } from '#loop/triage';
import { AbandonedSweep } from './abandoned-sweep.js';
import { AbandonedTurns } from './abandoned-turns.js';
import { Agents } from './agents.js';
import { CyclesRepository } from './cycles.repository.js';
import { Cycles } from './cycles.service.js';
import { GateEvidenceSource } from './gate-evidence.js';
import { CycleWorker } from './jobs.js';
import { MeasureSuites } from './measure-suites.js';
import { Recipes } from './recipes.js';
import { Stages, type Stage } from './stage.js';
import { AdmissionStage } from './stages/admission.stage.js';
import { BaselineStage } from './stages/baseline.stage.js';
import { BucketsStage } from './stages/buckets.stage.js';
import { EvidenceStage } from './stages/evidence.stage.js';
import { GateStage } from './stages/gate.stage.js';
import { PlanStage } from './stages/plan.stage.js';
import { PromotionStage } from './stages/promotion.stage.js';
import { PythonStage } from './stages/python.stage.js';
import { SuitesStage } from './stages/suites.stage.js';
import { TrainingStage } from './stages/training.stage.js';
import { LoopCounts, LoopStats } from './stats.service.js';
import { TrainingPlaces } from './training-places.js';
import { Turn } from './turn.js';

const STAGES = [
  BucketsStage,
  SuitesStage,
  BaselineStage,
  PlanStage,
  PythonStage,
  TrainingStage,
  AdmissionStage,
  EvidenceStage,
  GateStage,
  PromotionStage,
];

/** `AppAddress`, `CycleSettings`, `TrainerProvider`, `PolicyFleet` and `DefaultAgent` are bound by the app. */
@Module({
  imports: [
    TrajectoriesModule,
    TriageModule,
    EvalsModule,
    EnvironmentsModule,
    TrainingModule,
    GatesModule,
    RegistryModule,
    ServingModule,
  ],
  providers: [
    ...STAGES,
    { provide: Stages, useFactory: (...all: Stage[]) => new Stages(all), inject: STAGES },
    AbandonedTurns,
    Agents,
    Cycles,
    CyclesRepository,
    GateEvidenceSource,
    LoopCounts,
    LoopStats,
    MeasureSuites,
    Recipes,
    TrainingPlaces,
    Turn,
  ],
  exports: [AbandonedTurns, Cycles, LoopStats, Recipes, Turn],
})
export class CyclesModule {}

/** The worker's part: takes queued turns and runs them. */
@Module({ imports: [CyclesModule], providers: [AbandonedSweep, CycleWorker] })
export class CycleWorkerModule {}
