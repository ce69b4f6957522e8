import type { PolicyCard } from '#contracts/policy';

export interface FleetAnswer {
  status: number;
  body: unknown;
  /** Seconds the server asks to wait, from Retry-After. */
  retryAfterS: number | null;
}

/**
 * The servers that run a policy: vLLM replicas in production, one child process embedded. Both speak OpenAI chat
 * completions and vLLM's runtime LoRA loading. An adapter's name is the hash of its content and never reused.
 */
export abstract class PolicyFleet {
  abstract readonly card: PolicyCard;
  /** Content name under which the base itself is served. */
  abstract readonly baseModel: string;
  /** Folder of the base weights; training loads the same. */
  abstract readonly policyDir: string;
  abstract readonly chatTemplate: string;
  /** For harnesses inside the app; `baseUrl` ends with /v1. */
  abstract readonly endpoint: { baseUrl: string; key: string };
  /** @throws AppError adapter.refused when a replica does not take it. */
  abstract load(name: string, adapterDir: string): Promise<void>;
  abstract unload(name: string): Promise<void>;
  abstract loaded(): Promise<string[]>;
  abstract chat(body: Record<string, unknown>): Promise<FleetAnswer>;
}
