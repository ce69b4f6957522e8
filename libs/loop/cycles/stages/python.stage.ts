import { Injectable } from '@nestjs/common';
import { AppError } from '#kernel/errors';
import { TrainerProvider } from '../settings.js';
import { Stage, type StageContext, type StageResult } from '../stage.js';

/** Waits for the trainer's environment; what was prepared in the background is not prepared again. */
@Injectable()
export class PythonStage extends Stage {
  readonly name = 'python';

  constructor(private readonly trainers: TrainerProvider) {
    super();
  }

  async run({ say }: StageContext): Promise<StageResult> {
    if (!this.trainers.enabled) {
      throw new AppError('training.unavailable', { public: 'Training is switched off (RATCHET_TRAIN=off).' });
    }
    // Lines of the installer come fast; the last one is what a person wants to see.
    let latest = 'preparing';
    const timer = setInterval(() => void say(latest).catch(() => clearInterval(timer)), 1_000);
    try {
      await this.trainers.prepare((message) => {
        latest = message;
      });
    } finally {
      clearInterval(timer);
    }
    return { state: 'done', summary: 'the trainer is ready', evidence: null };
  }
}
