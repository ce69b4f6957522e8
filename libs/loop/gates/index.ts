/** The gates stage: judges candidates on sealed evidence. */
export { judge, SUCCESS_CHECK, wouldPassWithout } from './domain/judge.js';
export { DEFAULT_GATE_POLICY, deviations } from './domain/policy.js';
export {
  DEMO_BASE,
  DEMO_GOOD,
  DEMO_SIZES,
  simulateEvidence,
  type ArmTruth,
  type SimulatedSizes,
  type SimulationOptions,
} from './domain/simulated-evidence.js';
export { GatesModule } from './gates.module.js';
export { evidenceKey, Gates, type GateRequest } from './gates.service.js';
export { GateReportForm } from './answers.js';
export type { StoredGateReport } from './gates.repository.js';
