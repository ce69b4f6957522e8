/** The stage's routes: receivers for the collector, reads for the API. */
import { ImportController } from './import/import.controller.js';
import { LANGFUSE_INGESTION_PATH, LangfuseController } from './collector/langfuse/langfuse.controller.js';
import { LangfuseReadsController } from './collector/langfuse/langfuse-reads.controller.js';
import { FeedbackController } from './feedback/feedback.controller.js';
import { OTLP_TRACE_PATHS, OtlpController } from './collector/otlp.controller.js';
import { ExportController } from './export/export.controller.js';
import { TrajectoriesController } from './trajectories.controller.js';

export { ExportController, ImportController, OtlpController, TrajectoriesController };

export const COLLECTOR_CONTROLLERS = [
  OtlpController,
  ImportController,
  LangfuseController,
  LangfuseReadsController,
  FeedbackController,
];

/** Routes that read their body themselves, as it streams in: a body parser must leave them alone. */
export const RAW_BODY_PATHS: readonly string[] = [
  ...OTLP_TRACE_PATHS.map((path) => `/${path}`),
  '/api/v1/import',
  `/${LANGFUSE_INGESTION_PATH}`,
];
