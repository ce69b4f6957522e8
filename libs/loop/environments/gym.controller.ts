/** NeMo Gym's protocol. Open to the app's guard on purpose: a token for one side of the seal guards every route here. */
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Res, UseGuards } from '@nestjs/common';
import type { z } from 'zod';
import { AppError } from '#kernel/errors';
import { Answers, AnswersText, Public } from '#platform/web';
import { bearerOf, GymGuard } from './gym/gym.guard.js';
import { COOKIE_NAME, GymTokens, type GymScope } from './gym/gym-tokens.js';
import {
  GymService,
  SeedBody,
  StepBody,
  VerifyBody,
  type SessionKey,
  type StepReply,
} from './gym/gym.service.js';
import type { GymReply } from './gym/gym-reply.js';
import { GymClosed, GymObservation, GymSeeded, GymStep, GymVerdict } from './answers.js';

/** What of Express's response is used. */
interface Reply {
  setHeader(name: string, value: string): void;
}
interface GymHeaders {
  authorization?: string;
  cookie?: string;
}

@Public()
@UseGuards(GymGuard)
@Controller('environments/:environmentId/gym')
export class GymController {
  constructor(
    private readonly gym: GymService,
    private readonly tokens: GymTokens,
  ) {}

  @Post('seed_session')
  @HttpCode(200)
  @Answers(200, GymSeeded)
  async seedSession(
    @Param('environmentId') environmentId: string,
    @Headers() headers: GymHeaders,
    @Body({ schema: SeedBody }) body: SeedBody,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<{ session_id: string; task_id: string }> {
    const { id, task } = await this.seed(environmentId, headers, body, reply);
    return { session_id: id, task_id: task.id };
  }

  @Post('verify')
  @HttpCode(200)
  @Answers(200, GymVerdict)
  verify(
    @Param('environmentId') environmentId: string,
    @Headers() headers: GymHeaders,
    @Body({ schema: VerifyBody }) body: VerifyBody,
  ): GymReply {
    return this.gym.verify(this.key(environmentId, headers), body);
  }

  @Post(['close_session', 'close'])
  @HttpCode(200)
  @Answers(200, GymClosed)
  close(
    @Param('environmentId') environmentId: string,
    @Headers() headers: GymHeaders,
  ): Record<string, never> {
    this.gym.close(this.key(environmentId, headers));
    return {};
  }

  @Post('reset')
  @HttpCode(200)
  @Answers(200, GymObservation)
  async reset(
    @Param('environmentId') environmentId: string,
    @Headers() headers: GymHeaders,
    @Body({ schema: SeedBody }) body: SeedBody,
    @Res({ passthrough: true }) reply: Reply,
  ): Promise<z.infer<typeof GymObservation>> {
    const { task } = await this.seed(environmentId, headers, body, reply);
    return { observation: null, info: { task_id: task.id, supports_explicit_close: true } };
  }

  @Post('step')
  @HttpCode(200)
  @Answers(200, GymStep)
  step(
    @Param('environmentId') environmentId: string,
    @Headers() headers: GymHeaders,
    @Body({ schema: StepBody }) body: StepBody,
  ): StepReply {
    return this.gym.step(this.key(environmentId, headers), body);
  }

  /** Verdicts come from the tables of a live session: a stored rollout cannot be judged again without it. */
  @Get('reverify_mode')
  @AnswersText(200, { 'text/html': 'The word `unsupported`' })
  reverifyMode(@Param('environmentId') environmentId: string, @Headers() headers: GymHeaders): string {
    this.scope(environmentId, headers);
    return 'unsupported';
  }

  /** Last, so that the protocol's own names win; no tool may have one of them. */
  @Post(':tool')
  @HttpCode(200)
  @AnswersText(200, { 'text/plain': 'What the model sees' })
  callTool(
    @Param('environmentId') environmentId: string,
    @Param('tool') tool: string,
    @Headers() headers: GymHeaders,
    @Body() args: unknown,
    @Res({ passthrough: true }) reply: Reply,
  ): string {
    reply.setHeader('Content-Type', 'text/plain; charset=utf-8');
    return this.gym.callTool(this.key(environmentId, headers), tool, args);
  }

  private async seed(environmentId: string, headers: GymHeaders, body: SeedBody, reply: Reply) {
    const session = await this.gym.seed(this.scope(environmentId, headers), body);
    const cookie = `${COOKIE_NAME}=${this.tokens.cookieFor(session.id)}`;
    reply.setHeader(
      'Set-Cookie',
      `${cookie}; Path=/environments/${environmentId}/gym; HttpOnly; SameSite=Strict`,
    );
    return session;
  }

  private key(environmentId: string, headers: GymHeaders): SessionKey {
    return {
      scope: this.scope(environmentId, headers),
      sessionId: this.tokens.sessionIdOf(headers.cookie),
    };
  }

  private scope(environmentId: string, headers: GymHeaders): GymScope {
    const scope = this.tokens.verify(bearerOf(headers.authorization));
    if (scope.environmentId === environmentId) return scope;
    throw new AppError('request.forbidden', { public: 'This token is for another environment or version.' });
  }
}
