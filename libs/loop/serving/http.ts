import { Body, Controller, Get, Headers, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { z } from 'zod';
import { ChatCompletionRequest } from '#contracts/gateway';
import { CandidateForm, type Candidate } from '#loop/registry';
import { Answers, AnswersUnchecked, ProjectId, type Page } from '#platform/web';
import { Deployments, type Route } from './deployments.service.js';
import { DefaultAgent } from './default-agent.js';
import { Gateway } from './gateway.service.js';
import { LoadHints } from './load-hints.js';
import { ChatCompletion, ModelList, RoutePage } from './answers.js';

type HeaderMap = Record<string, string | string[] | undefined>;

const one = (headers: HeaderMap, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

/** The OpenAI-compatible door. `x-ratchet-agent` names the agent, `x-ratchet-session` the conversation. */
@Controller('v1')
export class GatewayController {
  constructor(
    private readonly gateway: Gateway,
    private readonly deployments: Deployments,
    private readonly hints: LoadHints,
    private readonly defaultAgent: DefaultAgent,
  ) {}

  @Post('chat/completions')
  @HttpCode(200)
  @AnswersUnchecked(200, ChatCompletion)
  async chat(
    @ProjectId() projectId: string,
    @Body({ schema: ChatCompletionRequest }) body: ChatCompletionRequest,
    @Headers() headers: HeaderMap,
    @Res({ passthrough: true }) response: Response,
  ): Promise<unknown> {
    const agent = one(headers, 'x-ratchet-agent') ?? this.defaultAgent.of(body.model);
    const answer = await this.gateway.chat(
      { projectId, agent, sessionId: one(headers, 'x-ratchet-session') },
      body,
    );
    response.status(answer.status);
    if (answer.retryAfterS !== null) response.setHeader('Retry-After', String(answer.retryAfterS));
    if (this.hints.busyWith !== null) response.setHeader('x-ratchet-busy', this.hints.busyWith);
    return answer.body;
  }

  @Get('models')
  @Answers(200, ModelList)
  models(@ProjectId() projectId: string): z.infer<typeof ModelList> {
    const data = this.deployments.list(projectId).map((route) => ({
      id: route.agent,
      object: 'model' as const,
      owned_by: 'ratchet',
      root: route.policy,
    }));
    return { object: 'list', data };
  }
}

const RollbackBody = z.strictObject({ agent: z.string().optional(), reason: z.string().max(500).optional() });

@Controller('api/v1/deployments')
export class DeploymentsController {
  constructor(
    private readonly deployments: Deployments,
    private readonly defaultAgent: DefaultAgent,
  ) {}

  @Get()
  @Answers(200, RoutePage)
  list(@ProjectId() projectId: string): Page<Route> {
    return { items: this.deployments.list(projectId), nextCursor: null };
  }

  /** Returns an agent to the version before and serves it. */
  @Post('rollback')
  @HttpCode(200)
  @Answers(200, CandidateForm)
  rollback(
    @ProjectId() projectId: string,
    @Body({ schema: RollbackBody }) body: z.infer<typeof RollbackBody>,
  ): Promise<Candidate> {
    const agent = body.agent ?? this.defaultAgent.of('default');
    return this.deployments.rollback(projectId, agent, body.reason ?? 'asked for by a person');
  }
}
