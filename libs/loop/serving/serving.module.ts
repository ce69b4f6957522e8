import { Module } from '@nestjs/common';
import { RegistryModule } from '#loop/registry';
import { TrajectoriesModule } from '#loop/trajectories';
import { CaptureLog } from './capture-log.js';
import { Deployments } from './deployments.service.js';
import { Gateway } from './gateway.service.js';
import { LoadHints } from './load-hints.js';

/** `PolicyFleet` and `DefaultAgent` are bound by the app. */
@Module({
  imports: [RegistryModule, TrajectoriesModule],
  providers: [CaptureLog, Deployments, Gateway, LoadHints],
  exports: [Deployments, Gateway, LoadHints],
})
export class ServingModule {}
