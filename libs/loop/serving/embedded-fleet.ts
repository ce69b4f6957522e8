import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PolicyCard } from '#contracts/policy';
import { AppError } from '#kernel/errors';
import type { PolicyServer } from '#platform/onnx';
import { PolicyFleet, type FleetAnswer } from './policy-fleet.js';

/** The fleet of one: the embedded policy server, which has vLLM's HTTP surface. */
export class EmbeddedFleet extends PolicyFleet {
  private constructor(
    private readonly server: PolicyServer,
    readonly policyDir: string,
    readonly card: PolicyCard,
    readonly chatTemplate: string,
  ) {
    super();
  }

  static async over(server: PolicyServer, policyDir: string): Promise<EmbeddedFleet> {
    const card = PolicyCard.parse(JSON.parse(await readFile(join(policyDir, 'card.json'), 'utf8')));
    const template = await readFile(join(policyDir, 'chat_template.jinja'), 'utf8');
    return new EmbeddedFleet(server, policyDir, card, template);
  }

  get baseModel(): string {
    return this.server.baseModel;
  }

  get endpoint(): { baseUrl: string; key: string } {
    return { baseUrl: `${this.server.baseUrl}/v1`, key: this.server.key };
  }

  load(name: string, adapterDir: string): Promise<void> {
    return this.server.loadAdapter(name, adapterDir);
  }

  unload(name: string): Promise<void> {
    return this.server.unloadAdapter(name);
  }

  async loaded(): Promise<string[]> {
    return (await this.server.models()).map((model) => model.id);
  }

  async chat(body: Record<string, unknown>): Promise<FleetAnswer> {
    let response: Response;
    try {
      response = await fetch(`${this.endpoint.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${this.endpoint.key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    } catch (error) {
      throw new AppError('policy.unavailable', {
        public: 'The policy server does not answer; try again shortly.',
        cause: error,
      });
    }
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
    return {
      status: response.status,
      body: await response.json(),
      retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null,
    };
  }
}
