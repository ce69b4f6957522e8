import { Module } from '@nestjs/common';
import { CyclesModule } from '#loop/cycles';
import { EnvironmentsModule } from '#loop/environments';
import { RegistryModule } from '#loop/registry';
import { ServingModule } from '#loop/serving';
import { TriageModule } from '#loop/triage';
import { FirstVersion } from './first-version.js';
import { Demo } from './demo.js';
import { FirstTurn } from './first-turn.js';

/** The workplace demo: environment, first version, agent program and its first turn. Started by `main` when it is on. */
@Module({
  imports: [CyclesModule, EnvironmentsModule, RegistryModule, ServingModule, TriageModule],
  providers: [Demo, FirstTurn, FirstVersion],
  exports: [Demo],
})
export class DemoModule {}
