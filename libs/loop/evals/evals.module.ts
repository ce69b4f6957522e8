import { Module } from '@nestjs/common';
import { EvalCasesRepository } from './eval-cases.repository.js';
import { EvalCases } from './eval-cases.service.js';
import { EvalRunsRepository } from './eval-runs.repository.js';
import { EvalRuns } from './eval-runs.service.js';
import { EvalSuitesRepository } from './eval-suites.repository.js';
import { EvalSuites } from './eval-suites.service.js';
import { SuiteSources } from './suite-sources.js';

/** Needs from the app: `EvaluatorKey`, and implementations of `CaseRunner`, `EnvironmentSource` and `FailureSource`. */
@Module({
  providers: [
    EvalCasesRepository,
    EvalCases,
    EvalSuitesRepository,
    EvalSuites,
    EvalRunsRepository,
    EvalRuns,
    SuiteSources,
  ],
  exports: [EvalCases, EvalSuites, EvalRuns],
})
export class EvalsModule {}
