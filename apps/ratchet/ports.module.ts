import { Global, Module } from '@nestjs/common';
import { EnvironmentCatalog, EnvironmentsModule, HarnessCaseRunner } from '#loop/environments';
import { CaseRunner, EnvironmentSource } from '#loop/evals';
import { TrajectoryAnnotations } from '#loop/trajectories';
import { TriageAnnotations, TriageModule } from '#loop/triage';
import { TrajectoriesModule } from '#loop/trajectories';

/** Binds the ports that an earlier stage declares to the later stage that implements them. */
@Global()
@Module({
  imports: [EnvironmentsModule, TriageModule, TrajectoriesModule],
  providers: [
    { provide: CaseRunner, useExisting: HarnessCaseRunner },
    { provide: EnvironmentSource, useExisting: EnvironmentCatalog },
    { provide: TrajectoryAnnotations, useClass: TriageAnnotations },
  ],
  exports: [CaseRunner, EnvironmentSource, TrajectoryAnnotations],
})
export class PortsModule {}
