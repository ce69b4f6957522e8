import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { CyclesModule } from '#loop/cycles';
import { CyclesController, RecipesController, StatsController } from '#loop/cycles/http';
import { EnvironmentsModule } from '#loop/environments';
import { EnvironmentsController, GymController } from '#loop/environments/http';
import { EvalsModule } from '#loop/evals';
import { EvalsController } from '#loop/evals/http';
import { GatesModule } from '#loop/gates';
import { GatesController } from '#loop/gates/http';
import { RegistryModule } from '#loop/registry';
import { RegistryController } from '#loop/registry/http';
import { TrainingModule } from '#loop/training';
import { TrainingController } from '#loop/training/http';
import { TrajectoriesModule } from '#loop/trajectories';
import { ExportController, TrajectoriesController } from '#loop/trajectories/http';
import { TriageModule } from '#loop/triage';
import { BucketsController, FailuresController } from '#loop/triage/http';
import { AccessGuard } from './access.guard.js';
import { HealthController } from './health.controller.js';
import { OpenApiDocument } from './open-api.js';
import { ViewsController } from './views.controller.js';

/** The HTTP API and the page's reads. `AccessSettings` comes from the app. */
@Module({
  imports: [
    TrajectoriesModule,
    TriageModule,
    EvalsModule,
    EnvironmentsModule,
    TrainingModule,
    GatesModule,
    RegistryModule,
    CyclesModule,
  ],
  controllers: [
    HealthController,
    // Before the routes of one trajectory, whose id would otherwise be `export`.
    ExportController,
    TrajectoriesController,
    FailuresController,
    BucketsController,
    EvalsController,
    EnvironmentsController,
    TrainingController,
    GatesController,
    RegistryController,
    CyclesController,
    RecipesController,
    StatsController,
    ViewsController,
    // Last: its route for any tool name would otherwise hide fixed ones.
    GymController,
  ],
  providers: [OpenApiDocument, { provide: APP_GUARD, useClass: AccessGuard }],
  exports: [OpenApiDocument],
})
export class ApiModule {}

export { AccessSettings } from './access.guard.js';
export { OpenApiDocument } from './open-api.js';
