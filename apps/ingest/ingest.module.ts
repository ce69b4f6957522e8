import { Module } from '@nestjs/common';
import { AssemblyModule } from '#loop/trajectories';

/** Makes trajectories of the spans that became complete, and tells the later stages. */
@Module({ imports: [AssemblyModule] })
export class IngestModule {}
