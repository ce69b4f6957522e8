import { Module } from '@nestjs/common';
import { TrajectoriesModule } from '#loop/trajectories';
import { COLLECTOR_CONTROLLERS } from '#loop/trajectories/http';

/** The receivers: OTLP and files of recorded runs. What runs it gives the guard and leaves `RAW_BODY_PATHS` unparsed. */
@Module({ imports: [TrajectoriesModule], controllers: COLLECTOR_CONTROLLERS })
export class CollectorModule {}
