import { Module } from '@nestjs/common';
import { Clock } from '#kernel/clock';
import { EvalsModule } from '#loop/evals';
import { IdSource } from '#platform/runtime';
import { EnvironmentCatalog } from './environment-catalog.js';
import { EnvironmentDefinitions } from './environment-definitions.js';
import { EnvironmentsRepository } from './environments.repository.js';
import { GymSessions } from './gym/gym-session.js';
import { GymTokens } from './gym/gym-tokens.js';
import { GymService } from './gym/gym.service.js';
import { HarnessCaseRunner } from './harness-case-runner.js';
import { PublishedTasks } from './published-tasks.js';
import { RolloutsRepository } from './rollouts.repository.js';

/** The app binds `CaseRunner` to `HarnessCaseRunner` and `EnvironmentSource` to `EnvironmentCatalog`. */
@Module({
  imports: [EvalsModule],
  providers: [
    EnvironmentsRepository,
    RolloutsRepository,
    EnvironmentDefinitions,
    PublishedTasks,
    EnvironmentCatalog,
    HarnessCaseRunner,
    // Sessions live in this process, so their tokens do too: after a restart a new attempt gets a new one.
    {
      provide: GymTokens,
      inject: [Clock, IdSource],
      useFactory: (clock: Clock, ids: IdSource) => new GymTokens(clock, ids.newSecret(32)),
    },
    {
      provide: GymSessions,
      inject: [Clock, IdSource],
      useFactory: (clock: Clock, ids: IdSource) => new GymSessions(clock, () => ids.newId()),
    },
    {
      provide: GymService,
      inject: [GymSessions, EnvironmentCatalog],
      useFactory: (sessions: GymSessions, catalog: EnvironmentCatalog) => new GymService(sessions, catalog),
    },
  ],
  exports: [EnvironmentCatalog, HarnessCaseRunner, GymService, GymTokens, RolloutsRepository],
})
export class EnvironmentsModule {}
