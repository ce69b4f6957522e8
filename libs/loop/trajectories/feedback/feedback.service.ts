import { Injectable } from '@nestjs/common';
import type { Trajectory } from '#contracts/trajectory';
import type { Feedback } from '../domain/feedback.js';
import { without } from '../domain/json.js';
import { SecretMasker } from '../masking/secret-masker.js';
import { FeedbackJoin } from './feedback-join.js';
import { FeedbackRepository, type FeedbackPageQuery, type NewFeedback } from './feedback.repository.js';

/** Takes and shows what was said of runs. */
@Injectable()
export class FeedbackService {
  constructor(
    private readonly repository: FeedbackRepository,
    private readonly joined: FeedbackJoin,
    private readonly masker: SecretMasker,
  ) {}

  /** Resolves when stored, with secrets masked; what it is about may come later. Ids and targets stay as they are. */
  add(projectId: string, items: readonly NewFeedback[]): Promise<void> {
    return this.repository.add(
      projectId,
      items.map((item) => ({
        ...item,
        name: this.masker.text(projectId, item.name),
        value: typeof item.value === 'string' ? this.masker.text(projectId, item.value) : item.value,
        comment: item.comment === null ? null : this.masker.text(projectId, item.comment),
      })),
    );
  }

  async find(
    projectId: string,
    { id, targetKind, targetId }: Pick<Feedback, 'id' | 'targetKind' | 'targetId'>,
  ): Promise<Feedback | null> {
    const found = await this.repository.ofTargets(projectId, targetKind, [targetId]);
    return found.find((item) => item.id === id) ?? null;
  }

  /** As stored now, also what no revision holds yet; in the order in which it was observed. */
  async of(projectId: string, trajectory: Trajectory): Promise<Omit<Feedback, 'receivedSeq'>[]> {
    return (await this.joined.of(projectId, trajectory)).map((item) => without(item, 'receivedSeq'));
  }

  page(query: FeedbackPageQuery): Promise<{ items: Feedback[]; total: number }> {
    return this.repository.page(query);
  }
}
