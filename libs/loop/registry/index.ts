export { admitAdapter, type AdmissionResult } from './domain/admission.js';
export type { CandidateState } from './domain/states.js';
export { Registry } from './registry.service.js';
export { RegistryModule } from './registry.module.js';
export { CandidateForm } from './answers.js';
export type { Candidate, RegistryEvent } from './registry.repository.js';
