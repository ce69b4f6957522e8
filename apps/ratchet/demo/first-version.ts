import { Injectable } from '@nestjs/common';
import type { ToolDefinition } from '#contracts/chat';
import { Registry } from '#loop/registry';
import { agentRefDigest, agentRefOf, PolicyFleet } from '#loop/serving';

/** Version of the tool loop that the agent program and the builtin harness share. */
const HARNESS_VERSION = 'builtin@1';

/** The untouched base as an agent's first production version. */
@Injectable()
export class FirstVersion {
  constructor(
    private readonly registry: Registry,
    private readonly fleet: PolicyFleet,
  ) {}

  async install(projectId: string, agent: string, tools: readonly ToolDefinition[]): Promise<void> {
    const agentRef = agentRefOf({
      card: this.fleet.card,
      adapter: null,
      chatTemplate: this.fleet.chatTemplate,
      systemPrompt: '',
      tools,
      harnessVersion: HARNESS_VERSION,
    });
    await this.registry.installBase({
      projectId,
      agent,
      policyName: this.fleet.baseModel,
      agentRef,
      agentRefDigest: agentRefDigest(agentRef),
    });
  }
}
