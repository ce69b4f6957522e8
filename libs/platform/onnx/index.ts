/** The embedded policy server (onnxruntime) behind the HTTP surface that vLLM has. */
export {
  PolicyServer,
  type PolicyServerOptions,
  type PolicyServerStats,
  type ServedModel,
} from './policy-server.js';
