/** Environments: proven definitions, NeMo Gym's protocol over them, and the builtin harness. */
export { admitVerifier, AdmissionRule, ScoredFile, type AdmissionReport } from './domain/admission.js';
export { looksLikeToolCall } from './domain/tool-call-text.js';
export { goldRun, proveEnvironment, type SelfProof } from './domain/self-proof.js';
export { EnvironmentCatalog, type VerifierAdmission } from './environment-catalog.js';
export { EnvironmentsModule } from './environments.module.js';
export type { EnvironmentVersion } from './environments.repository.js';
export { GymTokens, type GymScope } from './gym/gym-tokens.js';
export { HarnessCaseRunner } from './harness-case-runner.js';
export { runTask, type TaskRun } from './harness/builtin.js';
export type { PolicyEndpoint, Sampling } from './harness/chat-client.js';
export { runRollouts, type RolloutBatch } from './harness/run-rollouts.js';
