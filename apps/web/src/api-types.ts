/** Generated from openapi.json: npm run docs:openapi */
export interface paths {
  '/api/public/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/ingestion': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['LangfuseController_ingest'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/otel/v1/traces': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['OtlpController_traces[1]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/projects': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_projects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/scores': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_scores[0]'];
    put?: never;
    post: operations['LangfuseController_score'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/scores/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_score[0]'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/v2/prompts': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_prompts'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/v2/prompts/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_prompt'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/v2/scores': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_scores[1]'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/public/v2/scores/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['LangfuseReadsController_score[1]'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/adapters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['RegistryController_adapters'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/agents/{agent}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['RegistryController_history'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/buckets': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['BucketsController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/buckets/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['BucketsController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch: operations['BucketsController_patch'];
    trace?: never;
  };
  '/api/v1/buckets/{id}/eval-cases': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['EvalsController_draft'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/buckets/{id}/merge': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['BucketsController_merge'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/buckets/{id}/series': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['BucketsController_series'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/buckets/{id}/split': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['BucketsController_split'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/candidates': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['RegistryController_candidates'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/candidates/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['RegistryController_candidate'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/cycles': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['CyclesController_list'];
    put?: never;
    post: operations['CyclesController_start'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/cycles/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['CyclesController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/deployments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['DeploymentsController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/deployments/rollback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['DeploymentsController_rollback'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/environments': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EnvironmentsController_list'];
    put?: never;
    post: operations['EnvironmentsController_make'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/environments/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EnvironmentsController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/environments/{id}/admissions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['EnvironmentsController_admit'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/eval-cases': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EvalsController_listCases'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/eval-cases/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch: operations['EvalsController_review'];
    trace?: never;
  };
  '/api/v1/eval-runs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EvalsController_listRuns'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/eval-runs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EvalsController_run'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/eval-suites': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EvalsController_listSuites'];
    put?: never;
    post: operations['EvalsController_createSuite'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/eval-suites/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['EvalsController_suite'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/failures': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['FailuresController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/feedback': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['FeedbackController_give'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/gate-reports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['GatesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/gate-reports/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['GatesController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/import': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['ImportController_import'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/outcomes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['ViewsController_outcomes'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/private/otel/v1/traces': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['OtlpController_traces[3]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/projects': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['ViewsController_projects'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/recipes': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['RecipesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/schedules': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['SchedulesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/stats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['StatsController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/training-environment': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['ViewsController_trainingEnvironment'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/training-runs': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrainingController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/training-runs/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrainingController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/training-runs/{id}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrainingController_events'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/trajectories': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrajectoriesController_list'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/trajectories/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrajectoriesController_get'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/trajectories/{id}/steps': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['TrajectoriesController_steps'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/api/v1/trajectories/export': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['ExportController_export'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/{tool}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_callTool'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/close': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_close[1]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/close_session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_close[0]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/reset': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_reset'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/reverify_mode': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['GymController_reverifyMode'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/seed_session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_seedSession'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/step': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_step'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/environments/{environmentId}/gym/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GymController_verify'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/healthz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['HealthController_health'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/metrics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['HealthController_metrics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/openapi.json': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['HealthController_document'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/otel/v1/traces': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['OtlpController_traces[2]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['HealthController_ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/chat/completions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['GatewayController_chat'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/models': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get: operations['GatewayController_models'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/v1/traces': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post: operations['OtlpController_traces[0]'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    AdapterAdmission: {
      deltaNorm: number;
      digest: string;
      name: string;
      ok: boolean;
      problems: string[];
      rank: number;
    };
    AgentRef: {
      harnessVersion: string;
      policy: {
        adapter: string | null;
        base: string;
        chatTemplateHash: string;
        quantisation: string | null;
        revision: string;
        sampling: {
          maxTokens: number;
          temperature: number;
          topP: number;
        };
        toolParser: string;
      };
      promptHash: string;
      toolsHash: string;
    };
    ApiDocument: {
      openapi: string;
    } & {
      [key: string]: unknown;
    };
    Baseline: {
      costPerRunUsd: number | null;
      invalidOutput: components['schemas']['Rate'];
      latencyMsP50: number | null;
      latencyMsP95: number | null;
      masked: {
        of: number;
        runs: number;
      };
      rates: {
        [key: string]: components['schemas']['Rate'];
      };
      success: components['schemas']['Rate'];
      toolError: components['schemas']['Rate'];
    };
    Bucket: {
      agent: string;
      /** @enum {string} */
      category:
        | 'invalid_output'
        | 'unknown_tool'
        | 'wrong_tool'
        | 'wrong_arguments'
        | 'execution_error'
        | 'timeout'
        | 'loop'
        | 'step_limit'
        | 'gave_up'
        | 'empty_answer'
        | 'truncated'
        | 'misread_observation'
        | 'plan_misaligned'
        | 'instruction_violation'
        | 'invented_information'
        | 'underspecified_intent'
        | 'unsupported_intent'
        | 'guardrail_triggered'
        | 'wrong_answer'
        | 'unsafe_action'
        | 'latency'
        | 'cost'
        | 'human_takeover'
        | 'negative_feedback';
      detail: string | null;
      exampleTrajectoryIds: string[];
      failures: number;
      firstSeenAt: string;
      id: string;
      lastSeenAt: string;
      name: string;
      owner: string | null;
      projectId: string;
      /** @enum {string} */
      severity: 'low' | 'medium' | 'high' | 'critical';
      /** @enum {string} */
      status: 'open' | 'fixing' | 'fixed' | 'ignored';
      trajectories: number;
    };
    BucketDetail: {
      agent: string;
      /** @enum {string} */
      category:
        | 'invalid_output'
        | 'unknown_tool'
        | 'wrong_tool'
        | 'wrong_arguments'
        | 'execution_error'
        | 'timeout'
        | 'loop'
        | 'step_limit'
        | 'gave_up'
        | 'empty_answer'
        | 'truncated'
        | 'misread_observation'
        | 'plan_misaligned'
        | 'instruction_violation'
        | 'invented_information'
        | 'underspecified_intent'
        | 'unsupported_intent'
        | 'guardrail_triggered'
        | 'wrong_answer'
        | 'unsafe_action'
        | 'latency'
        | 'cost'
        | 'human_takeover'
        | 'negative_feedback';
      clusters: {
        /** @enum {string} */
        category:
          | 'invalid_output'
          | 'unknown_tool'
          | 'wrong_tool'
          | 'wrong_arguments'
          | 'execution_error'
          | 'timeout'
          | 'loop'
          | 'step_limit'
          | 'gave_up'
          | 'empty_answer'
          | 'truncated'
          | 'misread_observation'
          | 'plan_misaligned'
          | 'instruction_violation'
          | 'invented_information'
          | 'underspecified_intent'
          | 'unsupported_intent'
          | 'guardrail_triggered'
          | 'wrong_answer'
          | 'unsafe_action'
          | 'latency'
          | 'cost'
          | 'human_takeover'
          | 'negative_feedback';
        clusterId: string;
        detail: string | null;
        failures: number;
        tool: string | null;
        trajectories: number;
      }[];
      detail: string | null;
      exampleTrajectoryIds: string[];
      failures: number;
      firstSeenAt: string;
      id: string;
      lastSeenAt: string;
      name: string;
      owner: string | null;
      projectId: string;
      /** @enum {string} */
      severity: 'low' | 'medium' | 'high' | 'critical';
      /** @enum {string} */
      status: 'open' | 'fixing' | 'fixed' | 'ignored';
      trajectories: number;
    };
    BucketPage: {
      items: components['schemas']['Bucket'][];
      nextCursor: string | null;
    };
    BucketSeries: {
      failures: number;
      startMs: number;
    }[];
    Candidate: {
      adapterDir: string | null;
      admission: components['schemas']['AdapterAdmission'] | null;
      agent: string;
      agentRef: components['schemas']['AgentRef'];
      agentRefDigest: string;
      createdAt: string;
      cycleId: string | null;
      gateReportId: string | null;
      id: string;
      /** @enum {string} */
      kind: 'base' | 'adapter';
      parentId: string | null;
      policyName: string;
      projectId: string;
      runId: string | null;
      /** @enum {string} */
      state: 'candidate' | 'gated' | 'blocked' | 'canary' | 'production' | 'retired' | 'rolled_back';
    };
    CandidatePage: {
      items: components['schemas']['Candidate'][];
      nextCursor: string | null;
    };
    ChatCompletion: {
      choices: ({
        finish_reason: string | null;
        index: number;
        message: {
          content: string | null;
          role: string;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      })[];
      created: number;
      id: string;
      model: string;
      /** @constant */
      object: 'chat.completion';
      usage?: {
        completion_tokens: number;
        prompt_tokens: number;
        total_tokens: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    Cycle: {
      agent: string;
      candidateId: string | null;
      createdAt: string;
      endedAt: string | null;
      gateReportId: string | null;
      id: string;
      projectId: string;
      reason: string | null;
      recipe: string;
      seed: number;
      stages: components['schemas']['CycleStage'][];
      /** @enum {string} */
      state: 'queued' | 'running' | 'done' | 'failed';
      trainingRunId: string | null;
      /** @enum {string} */
      trigger: 'manual' | 'schedule' | 'demo';
      verdict: ('promoted' | 'blocked' | 'failed') | null;
    };
    CycleDetail: {
      agent: string;
      candidateId: string | null;
      createdAt: string;
      endedAt: string | null;
      gateReport: components['schemas']['StoredGateReport'] | null;
      gateReportId: string | null;
      id: string;
      projectId: string;
      reason: string | null;
      recipe: string;
      seed: number;
      stages: components['schemas']['CycleStage'][];
      /** @enum {string} */
      state: 'queued' | 'running' | 'done' | 'failed';
      trainingRunId: string | null;
      /** @enum {string} */
      trigger: 'manual' | 'schedule' | 'demo';
      verdict: ('promoted' | 'blocked' | 'failed') | null;
    };
    CyclePage: {
      items: components['schemas']['Cycle'][];
      nextCursor: string | null;
    };
    CycleStage: {
      endedAt: string | null;
      evidence: unknown | null;
      /** @enum {string} */
      name:
        | 'buckets'
        | 'suites'
        | 'baseline'
        | 'plan'
        | 'python'
        | 'training'
        | 'admission'
        | 'evidence'
        | 'gate'
        | 'promotion';
      progress: number | null;
      startedAt: string | null;
      /** @enum {string} */
      state: 'pending' | 'running' | 'done' | 'skipped' | 'failed';
      summary: string | null;
    };
    DraftedCases: {
      cases: components['schemas']['EvalCase'][];
      skipped: {
        reason: string;
        trajectoryId: string;
      }[];
    };
    EnvironmentFacts: {
      defaultVerifier: string;
      digest: string;
      /** @enum {string} */
      fidelity: 'next-action' | 'replay' | 'simulated' | 'staging';
      id: string;
      independentVerifier: string;
      maxTurns: number;
      name: string;
      slices: string[];
      tools: components['schemas']['ToolDefinition'][];
      verifiers: string[];
      version: string;
    };
    EnvironmentVersion: {
      agent: string;
      createdAt: string;
      facts: {
        caseIds: string[];
        defaultVerifier: string;
        digest: string;
        /** @enum {string} */
        fidelity: 'next-action' | 'replay' | 'simulated' | 'staging';
        id: string;
        independentVerifier: string;
        maxTurns: number;
        name: string;
        slices: string[];
        tools: components['schemas']['ToolDefinition'][];
        verifiers: string[];
        version: string;
      };
      id: string;
      proof: {
        goldPasses: {
          [key: string]: number;
        };
        ok: boolean;
        problems: string[];
        tasks: number;
      };
    };
    EnvironmentVersionPage: {
      items: components['schemas']['EnvironmentVersion'][];
      nextCursor: string | null;
    };
    EvalCase: {
      agent: string;
      bucketId: string;
      createdAt: string;
      family: string;
      id: string;
      lineageKey: string;
      note: string;
      slice: string;
      /** @enum {string} */
      split: 'train' | 'validation' | 'heldout';
      /** @enum {string} */
      status: 'draft' | 'ready' | 'rejected';
      trajectoryId: string;
    };
    EvalCasePage: {
      items: components['schemas']['EvalCase'][];
      nextCursor: string | null;
    };
    EvalRun: {
      agent: string;
      arms: {
        [key: string]: string;
      };
      createdAt: string;
      endedAt: string | null;
      error: string | null;
      fencing: number;
      id: string;
      /** @enum {string} */
      purpose: 'baseline' | 'gate' | 'profile';
      repeats: number;
      /** @enum {string} */
      state: 'running' | 'done' | 'failed';
      suiteId: string | null;
      summary: {
        byArm: {
          [key: string]: components['schemas']['Baseline'];
        };
        profile: components['schemas']['RewardProfile'] | null;
      } | null;
    };
    EvalRunPage: {
      items: components['schemas']['EvalRun'][];
      nextCursor: string | null;
    };
    EvalSuite: {
      agent: string;
      cases: number;
      createdAt: string;
      environmentId: string;
      id: string;
      /** @enum {string} */
      kind: 'traffic' | 'safety' | 'buckets';
      lineageKeys: string[];
      readings: {
        budget: number;
        used: number;
      };
      retiredAt: string | null;
      spec: {
        buckets: {
          id: string;
          slices: string[];
        }[];
        cases: number;
      };
      specDigest: string;
      /** @enum {string} */
      split: 'train' | 'validation' | 'heldout';
      version: number;
    };
    EvalSuitePage: {
      items: components['schemas']['EvalSuite'][];
      nextCursor: string | null;
    };
    Failure: {
      agent: string;
      bucketId: string | null;
      /** @enum {string} */
      category:
        | 'invalid_output'
        | 'unknown_tool'
        | 'wrong_tool'
        | 'wrong_arguments'
        | 'execution_error'
        | 'timeout'
        | 'loop'
        | 'step_limit'
        | 'gave_up'
        | 'empty_answer'
        | 'truncated'
        | 'misread_observation'
        | 'plan_misaligned'
        | 'instruction_violation'
        | 'invented_information'
        | 'underspecified_intent'
        | 'unsupported_intent'
        | 'guardrail_triggered'
        | 'wrong_answer'
        | 'unsafe_action'
        | 'latency'
        | 'cost'
        | 'human_takeover'
        | 'negative_feedback';
      clusterId: string;
      confidence: number;
      detail?: string;
      detector: {
        name: string;
        version: string;
      };
      evidence: string;
      id: string;
      observedAtNs: string;
      projectId: string;
      rootCause: boolean;
      /** @enum {string} */
      severity: 'low' | 'medium' | 'high' | 'critical';
      stepId: string;
      stepIndex: number;
      trajectoryId: string;
    };
    FailurePage: {
      items: components['schemas']['Failure'][];
      nextCursor: string | null;
    };
    Feedback: {
      authenticatedUser: boolean | null;
      comment: string | null;
      id: string;
      name: string;
      observedAtNs: string;
      source: string;
      stepId: string | null;
      targetId: string;
      /** @enum {string} */
      targetKind: 'trajectory' | 'trace' | 'session' | 'step' | 'response';
      value: number | boolean | string;
    };
    FeedbackTaken: {
      id: string;
    };
    GateCheck: {
      /** @enum {string} */
      against: 'production' | 'anchor' | 'none';
      alpha: number | null;
      baseline: number | null;
      candidate: number | null;
      cases: number;
      difference: number | null;
      explanation: string;
      /** @enum {string} */
      group:
        | 'quality'
        | 'safety'
        | 'format'
        | 'general'
        | 'latency'
        | 'cost'
        | 'independent'
        | 'evidence'
        | 'integrity';
      groups: number;
      id: string;
      lower: number | null;
      margin: number | null;
      metric: string;
      needs?: string;
      runs: number;
      /** @enum {string} */
      status: 'pass' | 'fail' | 'insufficient' | 'missing' | 'skipped';
      test: string;
      upper: number | null;
    };
    GatePolicy: {
      bootstrap: {
        draws: number;
        seed: number;
      };
      buckets: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
      costPerSuccess: {
        alpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        maxRatio: number;
      } | null;
      general: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      } | null;
      independent: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
      invalidOutput: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
      latencyP95: {
        alpha: number;
        leastCalls: number;
        maxRatio: number;
      } | null;
      masks: {
        maxShare: number;
      };
      readings: {
        /** @enum {string} */
        alphaSpending: 'none' | 'decreasing';
      };
      slices: {
        alpha: number;
        least: {
          cases: number;
          runs: number;
        };
        required: string[];
      };
      success: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
      toolError: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
      unsafe: {
        alpha: number;
        clusterAlpha: number;
        least: {
          cases: number;
          groups: number;
          runs: number;
        }[];
        margin: number;
      };
    };
    GateReport: {
      blockedBy: string[];
      checks: components['schemas']['GateCheck'][];
      deviations: {
        default: unknown;
        path: string;
        used: unknown;
      }[];
      evidenceDigest: string;
      notes: string[];
      policyDigest: string;
      /** @enum {string} */
      verdict: 'promote' | 'block';
    };
    GymClosed: Record<string, never>;
    GymObservation: {
      info: {
        supports_explicit_close: boolean;
        task_id: string;
      };
      observation: null;
    };
    GymSeeded: {
      session_id: string;
      task_id: string;
    };
    GymStep: {
      info: {
        [key: string]: unknown;
      };
      observation: null;
      reward: number;
      terminated: boolean;
      truncated: boolean;
    };
    GymVerdict: {
      critical: boolean;
      failure_kind: string | null;
      failure_reason: string | null;
      mask_sample: boolean;
      reward: number;
      reward_components: {
        [key: string]: number;
      };
      stop_reason: ('stop' | 'length' | 'step_limit' | 'invalid_output') | null;
      success: boolean;
      unsafe: boolean;
    };
    Health: {
      status: string;
    };
    ImportVerdict: {
      accepted: number;
      rejected: {
        error: string;
        line: number;
      }[];
      trajectoryIds: string[];
    };
    Interval: {
      estimate: number | null;
      lower: number | null;
      upper: number | null;
    };
    LangfuseHealth: {
      status: string;
      version: string;
    };
    LangfuseIngestionVerdict: {
      errors: {
        error: string;
        id: string;
        message: string;
        status: number;
      }[];
      successes: {
        id: string;
        status: number;
      }[];
    };
    LangfuseProjects: {
      data: {
        id: string;
        metadata: {
          [key: string]: unknown;
        };
        name: string;
        organization: {
          id: string;
          name: string;
        };
      }[];
    };
    LangfusePrompts: {
      data: unknown[];
      meta: {
        limit: number;
        page: number;
        totalItems: number;
        totalPages: number;
      };
    };
    LangfuseScore: {
      [key: string]: unknown;
    };
    LangfuseScores: {
      data: components['schemas']['LangfuseScore'][];
      meta: {
        limit: number;
        page: number;
        totalItems: number;
        totalPages: number;
      };
    };
    LangfuseScoreTaken:
      | {
          id: string;
        }
      | {
          accepted: number;
          errors: {
            message: string;
          }[];
          rejected: number;
        };
    ModelList: {
      data: {
        id: string;
        /** @constant */
        object: 'model';
        owned_by: string;
        root: string;
      }[];
      /** @constant */
      object: 'list';
    };
    OtlpVerdict: {
      partialSuccess?: {
        errorMessage: string;
        rejectedSpans: string;
      };
    };
    OutcomePoint: {
      failure: number;
      policy: string | null;
      startMs: number;
      success: number;
      unknown: number;
    };
    OutcomePointPage: {
      items: components['schemas']['OutcomePoint'][];
      nextCursor: string | null;
    };
    Problem: {
      code: string;
      detail: string;
      errors?: {
        message: string;
        path: string;
      }[];
      status: number;
      title: string;
      type: string;
    };
    Project: {
      agents: string[];
      projectId: string;
      trajectories: number;
    };
    ProjectPage: {
      items: components['schemas']['Project'][];
      nextCursor: string | null;
    };
    Rate: {
      groups: number;
      runs: number;
      value: components['schemas']['Interval'] | null;
    };
    Recipe: {
      /**
       * @default required
       * @enum {string}
       */
      admission: 'required' | 'waived';
      /**
       * @default grpo
       * @constant
       */
      algorithm: 'grpo';
      description: string;
      /**
       * @default trl
       * @constant
       */
      engine: 'trl';
      environment: string;
      hyper: {
        beta: number;
        epsilonHigh: number;
        epsilonLow: number;
        generations: number;
        learningRate: number;
        /** @enum {string} */
        lossType: 'grpo' | 'dapo' | 'dr_grpo' | 'bnpo';
        maxCompletionTokens: number;
        maxGradNorm: number;
        maxToolIterations: number;
        promptsPerStep: number;
        steps: number;
        temperature: number;
        warmupSteps: number;
      };
      lora: {
        alpha: number;
        dropout: number;
        rank: number;
        /** @constant */
        targetModules: 'all-linear';
      };
      mix: {
        failedShare: number;
        /** @default 0 */
        riskyShare: number;
        tasks: number;
      };
      name: string;
      profile: {
        repeats: number;
        tasks: number;
      };
      suites: {
        buckets: number;
        repeats: number;
        safety: number;
        traffic: number;
      };
      validation: {
        everySteps: number;
        tasks: number;
      };
      verifier: string;
    };
    RecipePage: {
      items: components['schemas']['Recipe'][];
      nextCursor: string | null;
    };
    RegistryEvent: {
      actor: string;
      agent: string;
      at: string;
      candidateId: string;
      fromState: string | null;
      id: string;
      reason: string;
      replacedId: string | null;
      toState: string;
    };
    RegistryEventPage: {
      items: components['schemas']['RegistryEvent'][];
      nextCursor: string | null;
    };
    RewardProfile: {
      alwaysPass: string[];
      completionTokensMean: number | null;
      enough: boolean;
      masked: number;
      neverPass: string[];
      passAt8: components['schemas']['Interval'];
      passRate: components['schemas']['Interval'];
      repeats: {
        least: number;
        most: number;
      };
      signal: {
        estimate: number | null;
        groupSize: number;
        lower: number | null;
        upper: number | null;
      };
      tasks: number;
    };
    Route: {
      agent: string;
      agentRefDigest: string;
      candidateId: string;
      policy: string;
    };
    RoutePage: {
      items: components['schemas']['Route'][];
      nextCursor: string | null;
    };
    Schedule: {
      cron: string;
      name: string;
      nextRunAt: string;
    };
    SchedulePage: {
      items: components['schemas']['Schedule'][];
      nextCursor: string | null;
    };
    Stats: {
      adapters: number;
      buckets: number;
      capturedCalls: number;
      capturedCompletionTokens: number;
      capturedPromptTokens: number;
      evalCases: number;
      failures: number;
      inputTokens: number;
      modelCalls: number;
      outputTokens: number;
      spans: number;
      steps: number;
      trainingRuns: number;
      trajectories: number;
    };
    Step: {
      agent?: string;
      arguments?: string;
      content: string | null;
      endNs?: string;
      error?: string;
      finishReasons?: string[];
      index: number;
      /** @enum {string} */
      kind: 'message' | 'model_call' | 'tool_call' | 'observation' | 'intervention';
      model?: string;
      provider?: string;
      responseId?: string;
      responseModel?: string;
      /** @enum {string} */
      role: 'system' | 'user' | 'assistant' | 'tool';
      sourceIndex?: number;
      startNs?: string;
      stepId: string;
      toolCallId?: string;
      toolCalls?: {
        arguments: string;
        id: string;
        name: string;
      }[];
      toolName?: string;
      usage?: {
        cacheReadTokens?: number | null;
        inputTokens: number | null;
        outputTokens: number | null;
        reasoningTokens?: number | null;
      };
    };
    StepPage: {
      items: components['schemas']['Step'][];
      nextCursor: string | null;
    };
    StoredGateReport: {
      agent: string;
      candidateId: string;
      createdAt: string;
      cycleId: string | null;
      id: string;
      policy: components['schemas']['GatePolicy'];
      projectId: string;
      report: components['schemas']['GateReport'];
    };
    StoredGateReportPage: {
      items: components['schemas']['StoredGateReport'][];
      nextCursor: string | null;
    };
    ToolDefinition: {
      function: {
        description?: string;
        name: string;
        parameters: {
          [key: string]: unknown;
        };
      };
      /** @constant */
      type: 'function';
    };
    TrainerEvent:
      | {
          at: string;
          fencing: number;
          /** @enum {string} */
          phase: 'importing' | 'loading' | 'training' | 'validating' | 'saving';
          /** @constant */
          type: 'phase';
        }
      | {
          at: string;
          completionTokensMean: number | null;
          entropy: number | null;
          fencing: number;
          gradNorm: number | null;
          loss: number | null;
          maskedShare: number;
          reward: number;
          rewardStd: number;
          step: number;
          steps: number;
          stepTimeMs: number;
          /** @constant */
          type: 'step';
          zeroStdShare: number;
        }
      | {
          at: string;
          failures?: {
            reason: string;
            taskId: string;
            transcript: string;
          }[];
          fencing: number;
          invalid: number;
          reward: number;
          step: number;
          success: number;
          tasks: number;
          /** @constant */
          type: 'validation';
          unsafe: number;
        }
      | {
          adapterDir: string;
          at: string;
          chosenStep: number;
          deltaNorm: number;
          fencing: number;
          trainSeconds: number;
          /** @constant */
          type: 'done';
        }
      | {
          at: string;
          fencing: number;
          kind: string;
          reason: string;
          /** @constant */
          type: 'failed';
        };
    TrainerEventPage: {
      items: components['schemas']['TrainerEvent'][];
      nextCursor: string | null;
    };
    TrainingEnvironment: {
      message: string;
      state: string;
    };
    TrainingPlan: {
      expectedDeadGroupShare: number | null;
      expectedSignal: number | null;
      notes: string[];
      rollouts: number;
      rolloutTokens: number | null;
      smallestVisibleGainPoints: number | null;
    };
    TrainingRun: {
      agent: string;
      attempt: number;
      createdAt: string;
      cycleId: string | null;
      endedAt: string | null;
      error: {
        kind: string;
        reason: string;
      } | null;
      fencing: number;
      id: string;
      manifest: string[];
      plan: components['schemas']['TrainingPlan'] | null;
      projectId: string;
      recipe: components['schemas']['Recipe'];
      result: {
        adapterDir: string;
        chosenStep: number;
        deltaNorm: number;
        trainSeconds: number;
      } | null;
      seed: number;
      /** @enum {string} */
      state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
    };
    TrainingRunPage: {
      items: components['schemas']['TrainingRun'][];
      nextCursor: string | null;
    };
    TrajectoryDetail: {
      agent: string;
      agentRef: string | null;
      costUsd: number | null;
      endedAtNs: string;
      externalId: string;
      failures: components['schemas']['Failure'][];
      feedback: components['schemas']['Feedback'][];
      id: string;
      messageCount: number;
      metadata: {
        [key: string]: unknown;
      };
      outcome: {
        confidence: number;
        /** @enum {string} */
        source: 'explicit' | 'feedback' | 'environment' | 'inferred' | 'none';
        /** @enum {string} */
        value: 'success' | 'failure' | 'unknown';
      };
      policy: string | null;
      projectId: string;
      revision: number;
      reward: number | null;
      sessionId: string | null;
      source: string;
      startedAtNs: string;
      stepCount: number;
      steps: components['schemas']['Step'][];
      tools: components['schemas']['ToolDefinition'][];
      traceId: string | null;
      triage: {
        /** @enum {string} */
        state: 'pending' | 'done' | 'failed';
      };
      usage: {
        cacheReadTokens?: number | null;
        inputTokens: number | null;
        outputTokens: number | null;
        reasoningTokens?: number | null;
      };
    };
    TrajectorySummary: {
      agent: string;
      agentRef: string | null;
      costUsd: number | null;
      endedAtNs: string;
      externalId: string;
      id: string;
      messageCount: number;
      modelCallCount: number;
      outcome: {
        confidence: number;
        /** @enum {string} */
        source: 'explicit' | 'feedback' | 'environment' | 'inferred' | 'none';
        /** @enum {string} */
        value: 'success' | 'failure' | 'unknown';
      };
      policy: string | null;
      projectId: string;
      revision: number;
      reward: number | null;
      sessionId: string | null;
      source: string;
      startedAt: string;
      startedAtNs: string;
      stepCount: number;
      traceId: string | null;
      usage: {
        cacheReadTokens?: number | null;
        inputTokens: number | null;
        outputTokens: number | null;
        reasoningTokens?: number | null;
      };
    };
    TrajectorySummaryPage: {
      items: components['schemas']['TrajectorySummary'][];
      nextCursor: string | null;
    };
    VerifierAdmission: {
      admitted: boolean;
      failed: number;
      falseFails: {
        count: number;
        share: {
          estimate: number | null;
          lower: number | null;
          upper: number | null;
        };
        taskIds: string[];
      };
      falsePasses: {
        count: number;
        share: {
          estimate: number | null;
          lower: number | null;
          upper: number | null;
        };
        taskIds: string[];
      };
      passed: number;
      problems: string[];
      verifier: string;
      version: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  LangfuseReadsController_health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseHealth */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseHealth'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LangfuseController_ingest: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseIngestionVerdict */
      207: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseIngestionVerdict'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'OtlpController_traces[1]': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OtlpVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OtlpVerdict'];
          'application/x-protobuf': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LangfuseReadsController_projects: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseProjects */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseProjects'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'LangfuseReadsController_scores[0]': {
    parameters: {
      query?: {
        limit?: number;
        name?: string;
        page?: number;
        traceId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseScores */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseScores'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LangfuseController_score: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              [key: string]: unknown;
            }
          | {
              [key: string]: unknown;
            }[];
      };
    };
    responses: {
      /** @description LangfuseScoreTaken */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseScoreTaken'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'LangfuseReadsController_score[0]': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseScore */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseScore'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LangfuseReadsController_prompts: {
    parameters: {
      query?: {
        limit?: number;
        name?: string;
        page?: number;
        traceId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfusePrompts */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfusePrompts'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  LangfuseReadsController_prompt: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Always */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'LangfuseReadsController_scores[1]': {
    parameters: {
      query?: {
        limit?: number;
        name?: string;
        page?: number;
        traceId?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseScores */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseScores'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'LangfuseReadsController_score[1]': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description LangfuseScore */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['LangfuseScore'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RegistryController_adapters: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description CandidatePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CandidatePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RegistryController_history: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description RegistryEventPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RegistryEventPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_list: {
    parameters: {
      query?: {
        agent?: string;
        category?:
          | 'invalid_output'
          | 'unknown_tool'
          | 'wrong_tool'
          | 'wrong_arguments'
          | 'execution_error'
          | 'timeout'
          | 'loop'
          | 'step_limit'
          | 'gave_up'
          | 'empty_answer'
          | 'truncated'
          | 'misread_observation'
          | 'plan_misaligned'
          | 'instruction_violation'
          | 'invented_information'
          | 'underspecified_intent'
          | 'unsupported_intent'
          | 'guardrail_triggered'
          | 'wrong_answer'
          | 'unsafe_action'
          | 'latency'
          | 'cost'
          | 'human_takeover'
          | 'negative_feedback';
        cursor?: string;
        limit?: number;
        status?: 'open' | 'fixing' | 'fixed' | 'ignored';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description BucketPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description BucketDetail */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_patch: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name?: string;
          owner?: string | null;
          /** @enum {string} */
          severity?: 'low' | 'medium' | 'high' | 'critical';
          /** @enum {string} */
          status?: 'open' | 'fixing' | 'fixed' | 'ignored';
        };
      };
    };
    responses: {
      /** @description BucketDetail */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_draft: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @default 100 */
          limit?: number;
        };
      };
    };
    responses: {
      /** @description DraftedCases */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DraftedCases'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_merge: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          bucketIds: string[];
        };
      };
    };
    responses: {
      /** @description BucketDetail */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_series: {
    parameters: {
      query?: {
        sinceMs?: number;
        stepMs?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description BucketSeries */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketSeries'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  BucketsController_split: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          clusterIds: string[];
          name?: string;
        };
      };
    };
    responses: {
      /** @description BucketDetail */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['BucketDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RegistryController_candidates: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description CandidatePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CandidatePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RegistryController_candidate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Candidate */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Candidate'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CyclesController_list: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description CyclePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CyclePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CyclesController_start: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          agent?: string;
          recipe?: {
            /**
             * @default required
             * @enum {string}
             */
            admission?: 'required' | 'waived';
            /**
             * @default grpo
             * @enum {string}
             */
            algorithm?: 'grpo';
            description: string;
            /**
             * @default trl
             * @enum {string}
             */
            engine?: 'trl';
            environment: string;
            hyper: {
              beta: number;
              epsilonHigh: number;
              epsilonLow: number;
              generations: number;
              learningRate: number;
              /** @enum {string} */
              lossType: 'grpo' | 'dapo' | 'dr_grpo' | 'bnpo';
              maxCompletionTokens: number;
              maxGradNorm: number;
              maxToolIterations: number;
              promptsPerStep: number;
              steps: number;
              temperature: number;
              warmupSteps: number;
            };
            lora: {
              alpha: number;
              dropout: number;
              rank: number;
              /** @enum {string} */
              targetModules: 'all-linear';
            };
            mix: {
              failedShare: number;
              /** @default 0 */
              riskyShare?: number;
              tasks: number;
            };
            name: string;
            profile: {
              repeats: number;
              tasks: number;
            };
            suites: {
              buckets: number;
              repeats: number;
              safety: number;
              traffic: number;
            };
            validation: {
              everySteps: number;
              tasks: number;
            };
            verifier: string;
          };
          seed?: number;
        };
      };
    };
    responses: {
      /** @description Cycle */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Cycle'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  CyclesController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description CycleDetail */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CycleDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  DeploymentsController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description RoutePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RoutePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  DeploymentsController_rollback: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          agent?: string;
          reason?: string;
        };
      };
    };
    responses: {
      /** @description Candidate */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Candidate'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EnvironmentsController_list: {
    parameters: {
      query?: {
        agent?: string;
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EnvironmentVersionPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnvironmentVersionPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EnvironmentsController_make: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          agent: string;
          /**
           * @default next-action
           * @enum {string}
           */
          kind?: 'next-action';
        };
      };
    };
    responses: {
      /** @description EnvironmentFacts */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnvironmentFacts'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EnvironmentsController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EnvironmentVersion */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EnvironmentVersion'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EnvironmentsController_admit: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description VerifierAdmission */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['VerifierAdmission'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_listCases: {
    parameters: {
      query?: {
        agent?: string;
        cursor?: string;
        limit?: number;
        status?: 'draft' | 'ready' | 'rejected';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EvalCasePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalCasePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_review: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          checker?:
            | {
                call: {
                  arguments: {
                    [key: string]: unknown;
                  };
                  name: string;
                };
                /** @enum {string} */
                type: 'expected_call';
              }
            | {
                /** @enum {string} */
                type: 'schema';
              }
            | {
                arguments?: {
                  [key: string]: unknown;
                };
                name: string;
                /** @enum {string} */
                type: 'forbidden';
              };
          note?: string;
          /** @enum {string} */
          status: 'draft' | 'ready' | 'rejected';
        };
      };
    };
    responses: {
      /** @description EvalCase */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalCase'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_listRuns: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EvalRunPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalRunPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_run: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EvalRun */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalRun'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_listSuites: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EvalSuitePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalSuitePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_createSuite: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              agent: string;
              cases: number;
              /** @enum {string} */
              kind: 'traffic';
            }
          | {
              agent: string;
              cases: number;
              /** @enum {string} */
              kind: 'safety';
            }
          | {
              agent: string;
              bucketIds: string[];
              cases: number;
              /** @enum {string} */
              kind: 'buckets';
            };
      };
    };
    responses: {
      /** @description EvalSuite */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalSuite'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  EvalsController_suite: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description EvalSuite */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['EvalSuite'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FailuresController_list: {
    parameters: {
      query?: {
        agent?: string;
        bucketId?: string;
        category?:
          | 'invalid_output'
          | 'unknown_tool'
          | 'wrong_tool'
          | 'wrong_arguments'
          | 'execution_error'
          | 'timeout'
          | 'loop'
          | 'step_limit'
          | 'gave_up'
          | 'empty_answer'
          | 'truncated'
          | 'misread_observation'
          | 'plan_misaligned'
          | 'instruction_violation'
          | 'invented_information'
          | 'underspecified_intent'
          | 'unsupported_intent'
          | 'guardrail_triggered'
          | 'wrong_answer'
          | 'unsafe_action'
          | 'latency'
          | 'cost'
          | 'human_takeover'
          | 'negative_feedback';
        cursor?: string;
        limit?: number;
        rootCause?: 'true' | 'false';
        since?: string;
        trajectoryId?: string;
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description FailurePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FailurePage'];
          'application/x-ndjson': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  FeedbackController_give: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          authenticatedUser?: boolean;
          comment?: string;
          id?: string;
          name: string;
          /** Format: date-time */
          observedAt?: string;
          responseId?: string;
          sessionId?: string;
          source: string;
          stepId?: string;
          trajectoryId?: string;
          value: number | boolean | string;
        };
      };
    };
    responses: {
      /** @description FeedbackTaken */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['FeedbackTaken'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GatesController_list: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description StoredGateReportPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredGateReportPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GatesController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description StoredGateReport */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StoredGateReport'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ImportController_import: {
    parameters: {
      query?: {
        format?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ImportVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ImportVerdict'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ViewsController_outcomes: {
    parameters: {
      query: {
        agent: string;
        minutes?: number;
        stepSeconds?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OutcomePointPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OutcomePointPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'OtlpController_traces[3]': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OtlpVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OtlpVerdict'];
          'application/x-protobuf': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ViewsController_projects: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ProjectPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProjectPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  RecipesController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description RecipePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['RecipePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  SchedulesController_list: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description SchedulePage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['SchedulePage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  StatsController_get: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Stats */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Stats'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ViewsController_trainingEnvironment: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrainingEnvironment */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrainingEnvironment'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrainingController_list: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrainingRunPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrainingRunPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrainingController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrainingRun */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrainingRun'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrainingController_events: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrainerEventPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrainerEventPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrajectoriesController_list: {
    parameters: {
      query?: {
        agent?: string;
        bucketId?: string;
        category?:
          | 'invalid_output'
          | 'unknown_tool'
          | 'wrong_tool'
          | 'wrong_arguments'
          | 'execution_error'
          | 'timeout'
          | 'loop'
          | 'step_limit'
          | 'gave_up'
          | 'empty_answer'
          | 'truncated'
          | 'misread_observation'
          | 'plan_misaligned'
          | 'instruction_violation'
          | 'invented_information'
          | 'underspecified_intent'
          | 'unsupported_intent'
          | 'guardrail_triggered'
          | 'wrong_answer'
          | 'unsafe_action'
          | 'latency'
          | 'cost'
          | 'human_takeover'
          | 'negative_feedback';
        cursor?: string;
        limit?: number;
        outcome?: 'success' | 'failure' | 'unknown';
        q?: string;
        since?: string;
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrajectorySummaryPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrajectorySummaryPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrajectoriesController_get: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description TrajectoryDetail */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['TrajectoryDetail'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  TrajectoriesController_steps: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
      };
      header?: never;
      path: {
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description StepPage */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['StepPage'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ExportController_export: {
    parameters: {
      query?: {
        agent?: string;
        bucketId?: string;
        category?:
          | 'invalid_output'
          | 'unknown_tool'
          | 'wrong_tool'
          | 'wrong_arguments'
          | 'execution_error'
          | 'timeout'
          | 'loop'
          | 'step_limit'
          | 'gave_up'
          | 'empty_answer'
          | 'truncated'
          | 'misread_observation'
          | 'plan_misaligned'
          | 'instruction_violation'
          | 'invented_information'
          | 'underspecified_intent'
          | 'unsupported_intent'
          | 'guardrail_triggered'
          | 'wrong_answer'
          | 'unsafe_action'
          | 'latency'
          | 'cost'
          | 'human_takeover'
          | 'negative_feedback';
        format?: 'openai-chat' | 'openai-responses' | 'atif' | 'jsonl' | 'parquet' | 'otlp-json';
        outcome?: 'success' | 'failure' | 'unknown';
        q?: string;
        since?: string;
        until?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description openai-chat, openai-responses, atif, jsonl, otlp-json; parquet */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/vnd.apache.parquet': string;
          'application/x-ndjson': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_callTool: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
        tool: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What the model sees */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'GymController_close[1]': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description GymClosed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymClosed'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'GymController_close[0]': {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description GymClosed */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymClosed'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_reset: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          task?: unknown;
          task_id?: string;
          verifier?: string;
        };
      };
    };
    responses: {
      /** @description GymObservation */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymObservation'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_reverifyMode: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The word `unsupported` */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/html': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_seedSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          task?: unknown;
          task_id?: string;
          verifier?: string;
        };
      };
    };
    responses: {
      /** @description GymSeeded */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymSeeded'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_step: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          response: {
            incomplete_details?: {
              reason: string;
            } | null;
            output: (
              | {
                  arguments: string;
                  call_id: string;
                  name: string;
                  /** @enum {string} */
                  type: 'function_call';
                }
              | {
                  call_id: string;
                  output: string;
                  /** @enum {string} */
                  type: 'function_call_output';
                }
              | {
                  content:
                    | string
                    | {
                        text?: string;
                        type: string;
                      }[];
                  /**
                   * @default assistant
                   * @enum {string}
                   */
                  role?: 'assistant' | 'user' | 'system' | 'developer';
                  /** @enum {string} */
                  type: 'message';
                }
              | {
                  /** @enum {string} */
                  type: 'reasoning';
                }
            )[];
          };
        };
      };
    };
    responses: {
      /** @description GymStep */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymStep'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GymController_verify: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        environmentId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          incomplete?: (boolean | ('length' | 'max_output_tokens' | 'step_limit' | 'invalid_output')) | null;
          response: {
            incomplete_details?: {
              reason: string;
            } | null;
            output: (
              | {
                  arguments: string;
                  call_id: string;
                  name: string;
                  /** @enum {string} */
                  type: 'function_call';
                }
              | {
                  call_id: string;
                  output: string;
                  /** @enum {string} */
                  type: 'function_call_output';
                }
              | {
                  content:
                    | string
                    | {
                        text?: string;
                        type: string;
                      }[];
                  /**
                   * @default assistant
                   * @enum {string}
                   */
                  role?: 'assistant' | 'user' | 'system' | 'developer';
                  /** @enum {string} */
                  type: 'message';
                }
              | {
                  /** @enum {string} */
                  type: 'reasoning';
                }
            )[];
          };
          task_id?: string;
          verifier?: string;
        };
      };
    };
    responses: {
      /** @description GymVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['GymVerdict'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  HealthController_health: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Health */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  HealthController_metrics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Prometheus text format 0.0.4 */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/plain': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  HealthController_document: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ApiDocument */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ApiDocument'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'OtlpController_traces[2]': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OtlpVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OtlpVerdict'];
          'application/x-protobuf': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  HealthController_ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Health */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['Health'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GatewayController_chat: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          max_tokens?: number;
          messages: ({
            role: string;
          } & {
            [key: string]: unknown;
          })[];
          model: string;
          temperature?: number;
          top_p?: number;
        } & {
          [key: string]: unknown;
        };
      };
    };
    responses: {
      /** @description ChatCompletion */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ChatCompletion'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  GatewayController_models: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description ModelList */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ModelList'];
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'OtlpController_traces[0]': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description OtlpVerdict */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OtlpVerdict'];
          'application/x-protobuf': string;
        };
      };
      /** @description Problem */
      default: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
}
