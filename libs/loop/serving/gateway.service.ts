import { Injectable } from '@nestjs/common';
import type { ChatCompletionRequest, ModelCallCapture } from '#contracts/gateway';
import { samplingOf } from '#contracts/policy';
import { Clock } from '#kernel/clock';
import { CaptureLog } from './capture-log.js';
import { Deployments } from './deployments.service.js';
import { callCostUsd } from './domain/agent-ref.js';
import { PolicyFleet, type FleetAnswer } from './policy-fleet.js';

export interface GatewayCaller {
  projectId: string;
  agent: string;
  sessionId: string | null;
}

interface Completion {
  id: string;
  model: string;
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
}

function completionOf(answer: FleetAnswer): Completion | null {
  const body = answer.body as Partial<Completion> | null;
  return answer.status === 200 && typeof body?.id === 'string' && typeof body.model === 'string'
    ? (body as Completion)
    : null;
}

/** OpenAI-compatible proxy: routes to the policy in production, stamps and captures every call. */
@Injectable()
export class Gateway {
  constructor(
    private readonly deployments: Deployments,
    private readonly fleet: PolicyFleet,
    private readonly captures: CaptureLog,
    private readonly clock: Clock,
  ) {}

  /**
   * One chat completion by the production policy of the caller's agent. Decoding defaults are the policy card's, since
   * the gate measured with them. The answer waits for its capture to be stored; a store that is away does not stop it.
   */
  async chat(caller: GatewayCaller, request: ChatCompletionRequest): Promise<FleetAnswer> {
    const route = this.deployments.routeOf(caller.projectId, caller.agent);
    const sampling = samplingOf(this.fleet.card);
    const startedNs = this.clock.nowNs();
    const answer = await this.fleet.chat({
      temperature: sampling.temperature,
      top_p: sampling.topP,
      max_tokens: sampling.maxTokens,
      ...request,
      model: route.policy,
    });
    const completion = completionOf(answer);
    if (completion === null) return answer;
    const capture: ModelCallCapture = {
      projectId: caller.projectId,
      responseId: completion.id,
      agent: caller.agent,
      policy: completion.model,
      agentRef: route.agentRefDigest,
      sessionId: caller.sessionId,
      promptTokens: completion.usage?.prompt_tokens ?? null,
      completionTokens: completion.usage?.completion_tokens ?? null,
      costUsd: callCostUsd(
        this.fleet.card,
        completion.usage?.prompt_tokens ?? null,
        completion.usage?.completion_tokens ?? null,
      ),
      latencyMs: Number(this.clock.nowNs() - startedNs) / 1e6,
      servedAtNs: startedNs.toString(),
    };
    await this.captures.record(capture);
    return answer;
  }
}
