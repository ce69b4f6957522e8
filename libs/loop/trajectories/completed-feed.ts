import { Injectable } from '@nestjs/common';
import { COMPLETED_TOPIC, TrajectoryCompleted } from '#contracts/trajectory';
import { defineTopic, EventStream } from '#platform/stream';

export const completedTopic = defineTopic(COMPLETED_TOPIC, TrajectoryCompleted);

/**
 * Tells later stages that trajectories are stored and complete. At least once: a receiver's work is keyed by id and
 * revision. Rejects when the events were not handed over; the caller then does its work again.
 */
@Injectable()
export class CompletedFeed {
  constructor(private readonly stream: EventStream) {}

  publish(events: readonly TrajectoryCompleted[]): Promise<void> {
    return this.stream.publish(
      completedTopic,
      events.map((event) => ({ key: event.trajectoryId, value: event })),
    );
  }
}
