export { DefaultAgent } from './default-agent.js';
export { Deployments, type Route } from './deployments.service.js';
export { agentRefDigest, agentRefOf } from './domain/agent-ref.js';
export { EmbeddedFleet } from './embedded-fleet.js';
export { Gateway } from './gateway.service.js';
export { LoadHints } from './load-hints.js';
export { PolicyFleet } from './policy-fleet.js';
export { ServingModule } from './serving.module.js';
