import { Module } from '@nestjs/common';
import { CycleWorkerModule } from '#loop/cycles';

/** The worker that turns the loop: evals, training by its child process, gates, promotion. */
@Module({ imports: [CycleWorkerModule] })
export class EvaluatorModule {}
