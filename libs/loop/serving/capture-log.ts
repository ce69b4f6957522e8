import { Injectable } from '@nestjs/common';
import type { ModelCallCapture } from '#contracts/gateway';
import { Trajectories } from '#loop/trajectories';
import { Log } from '#platform/telemetry';

/**
 * Stores captures before their calls are answered, so the OTLP span that follows always finds its capture. When the
 * store is away the call itself still succeeds (the gateway fails open); the loss is counted and logged.
 */
@Injectable()
export class CaptureLog {
  /** Captures that could not be stored since the start. */
  lost = 0;

  constructor(
    private readonly trajectories: Trajectories,
    private readonly log: Log,
  ) {}

  async record(capture: ModelCallCapture): Promise<void> {
    try {
      await this.trajectories.recordModelCalls([capture]);
    } catch (error) {
      this.lost += 1;
      this.log.error('gateway.captureLost', { responseId: capture.responseId, error });
    }
  }
}
