/** The stage's routes: receivers for the collector, reads for the API. */
import { ImportController } from './import/import.controller.js';
import { OtlpController } from './collector/otlp.controller.js';
import { TrajectoriesController } from './trajectories.controller.js';

export { ImportController, OtlpController, TrajectoriesController };

export const COLLECTOR_CONTROLLERS = [OtlpController, ImportController];

/** Routes that read their body themselves, as it streams in: a body parser must leave them alone. */
export const RAW_BODY_PATHS: readonly string[] = [
  '/v1/traces',
  '/api/public/otel/v1/traces',
  '/api/v1/import',
];
