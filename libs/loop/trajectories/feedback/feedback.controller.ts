import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { z } from 'zod';
import { Clock } from '#kernel/clock';
import { contentHash } from '#kernel/ids';
import { Answers, named, ProjectId } from '#platform/web';
import type { FeedbackTarget } from '../domain/feedback.js';
import { nsOfIso } from '../domain/iso-time.js';
import { FeedbackService } from './feedback.service.js';

const Id = z.string().min(1).max(800);

const GiveFeedback = z
  .strictObject({
    /** Sent again with the same id it replaces itself; without one its content is its identity. */
    id: Id.optional(),
    trajectoryId: Id.optional(),
    sessionId: Id.optional(),
    stepId: Id.optional(),
    responseId: Id.optional(),
    name: z.string().min(1).max(200),
    value: z.union([z.number(), z.boolean(), z.string().max(100_000)]),
    comment: z.string().max(100_000).optional(),
    source: z.string().min(1).max(64),
    observedAt: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2026-01-31T00:00:00Z' })
      .optional(),
    authenticatedUser: z.boolean().optional(),
  })
  .refine((body) => targetOf(body) !== undefined, {
    error: 'must say what it is about: trajectoryId, sessionId, stepId or responseId',
  });
type GiveFeedback = z.output<typeof GiveFeedback>;

const FeedbackTaken = named('FeedbackTaken', z.object({ id: z.string() }));

@Controller('api/v1/feedback')
export class FeedbackController {
  constructor(
    private readonly feedback: FeedbackService,
    private readonly clock: Clock,
  ) {}

  /** A score, an outcome, a correction or a person's intervention. What it is about may be received later. */
  @Post()
  @HttpCode(202)
  @Answers(202, FeedbackTaken)
  async give(
    @ProjectId() projectId: string,
    @Body({ schema: GiveFeedback }) body: GiveFeedback,
  ): Promise<z.output<typeof FeedbackTaken>> {
    const id = body.id ?? contentHash(['feedback', body]);
    const [targetKind, targetId] = targetOf(body)!;
    // Sent again without a time, it is not observed again.
    const known =
      body.observedAt === undefined
        ? await this.feedback.find(projectId, { id, targetKind, targetId })
        : null;
    await this.feedback.add(projectId, [
      {
        id,
        targetKind,
        targetId,
        stepId: body.stepId ?? null,
        name: body.name,
        value: body.value,
        comment: body.comment ?? null,
        source: body.source,
        observedAtNs:
          nsOfIso(body.observedAt)?.toString() ?? known?.observedAtNs ?? this.clock.nowNs().toString(),
        authenticatedUser: body.authenticatedUser ?? null,
      },
    ]);
    return { id };
  }
}

/** Where several are given, the one that is found without a search; a step then says which part of it. */
function targetOf(body: {
  trajectoryId?: string | undefined;
  sessionId?: string | undefined;
  stepId?: string | undefined;
  responseId?: string | undefined;
}): [FeedbackTarget, string] | undefined {
  if (body.trajectoryId !== undefined) return ['trajectory', body.trajectoryId];
  if (body.stepId !== undefined) return ['step', body.stepId];
  if (body.responseId !== undefined) return ['response', body.responseId];
  return body.sessionId === undefined ? undefined : ['session', body.sessionId];
}
