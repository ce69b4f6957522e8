/**
 * The trainer's whole interface (design §7): it reads job.json, writes metrics.jsonl and an adapter folder, and knows
 * nothing else. `native/trainer` validates the same JSON Schema with pydantic.
 */
import { z } from 'zod';

export const TrainingHyper = z.object({
  steps: z.number().int().positive(),
  promptsPerStep: z.number().int().positive(),
  generations: z.number().int().min(2),
  learningRate: z.number().positive(),
  warmupSteps: z.number().int().min(0),
  beta: z.number().min(0),
  epsilonLow: z.number().positive(),
  epsilonHigh: z.number().positive(),
  lossType: z.enum(['grpo', 'dapo', 'dr_grpo', 'bnpo']),
  temperature: z.number().positive(),
  maxCompletionTokens: z.number().int().positive(),
  maxToolIterations: z.number().int().positive(),
  maxGradNorm: z.number().positive(),
});
export type TrainingHyper = z.infer<typeof TrainingHyper>;

export const LoraSettings = z.object({
  rank: z.number().int().positive(),
  alpha: z.number().positive(),
  dropout: z.number().min(0),
  targetModules: z.literal('all-linear'),
});

export const TrainingJob = z.object({
  schemaVersion: z.literal(1),
  runId: z.string(),
  attempt: z.number().int().positive(),
  /** Every line and file the trainer writes carries it; older ones are refused. */
  fencing: z.number().int(),
  engine: z.literal('trl'),
  algorithm: z.literal('grpo'),
  base: z.object({ path: z.string(), revision: z.string() }),
  lora: LoraSettings,
  environment: z.object({
    /** NeMo Gym resources server, e.g. http://127.0.0.1:4100/environments/ID/gym */
    baseUrl: z.string(),
    /** Bearer token for one split. */
    token: z.string(),
    verifier: z.string(),
    /** OpenAI function tools, as a JSON string (Arrow must not infer its shape). */
    toolsJson: z.string(),
  }),
  /** JSONL files of {id, messages, lineageKey, family, slice}. */
  data: z.object({ trainPath: z.string(), validationPath: z.string() }),
  validation: z.object({
    everySteps: z.number().int().positive(),
    temperature: z.number().min(0),
    maxTurns: z.number().int(),
  }),
  hyper: TrainingHyper,
  seed: z.number().int(),
  threads: z.number().int().positive(),
  outputDir: z.string(),
});
export type TrainingJob = z.infer<typeof TrainingJob>;

const at = { at: z.string(), fencing: z.number().int() };
/** One line of metrics.jsonl. */
export const TrainerEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('phase'),
    ...at,
    phase: z.enum(['importing', 'loading', 'training', 'validating', 'saving']),
  }),
  z.object({
    type: z.literal('step'),
    ...at,
    step: z.number().int(),
    steps: z.number().int(),
    reward: z.number(),
    rewardStd: z.number(),
    zeroStdShare: z.number(),
    maskedShare: z.number(),
    entropy: z.number().nullable(),
    loss: z.number().nullable(),
    gradNorm: z.number().nullable(),
    completionTokensMean: z.number().nullable(),
    stepTimeMs: z.number(),
  }),
  z.object({
    type: z.literal('validation'),
    ...at,
    step: z.number().int(),
    reward: z.number(),
    success: z.number(),
    unsafe: z.number(),
    invalid: z.number(),
    tasks: z.number().int(),
    /** A few failed transcripts, to be shown. */
    failures: z
      .array(z.object({ taskId: z.string(), transcript: z.string(), reason: z.string() }))
      .optional(),
  }),
  z.object({
    type: z.literal('done'),
    ...at,
    /** Folder with adapter_config.json, adapter_model.safetensors and, for embedded serving, policy.onnx. */
    adapterDir: z.string(),
    chosenStep: z.number().int(),
    deltaNorm: z.number(),
    trainSeconds: z.number(),
  }),
  z.object({
    type: z.literal('failed'),
    ...at,
    /** Named end: nan, dead_reward, environment_unreachable, masked_share, out_of_memory, bad_job, internal. */
    kind: z.string(),
    reason: z.string(),
  }),
]);
export type TrainerEvent = z.infer<typeof TrainerEvent>;
