import { join } from 'node:path';
import { AppError } from '#kernel/errors';
import { TrainerProvider } from '#loop/cycles';
import { nativeTrainer, type TrainerCommand } from '#loop/training';
import { PythonEnvironment } from '#platform/python';

/** Measured size of the finished environment on Linux x86-64, most of it GPU libraries that PyTorch's wheel depends on. */
const EXPECTED_BYTES = 7e9;
const UV_VERSION = '0.13.9';

/** native/trainer in its own virtual environment under the data folder. */
export class PythonTrainers extends TrainerProvider {
  private readonly environment: PythonEnvironment;

  constructor(
    readonly enabled: boolean,
    homeDir: string,
    private readonly rootDir: string,
  ) {
    super();
    this.environment = new PythonEnvironment({
      homeDir,
      projectDir: join(rootDir, 'native', 'trainer'),
      expectedBytes: EXPECTED_BYTES,
      uvVersion: UV_VERSION,
    });
  }

  get progress(): { state: string; message: string } {
    if (!this.enabled) return { state: 'off', message: 'Training is switched off (RATCHET_TRAIN=off).' };
    return this.environment.progress;
  }

  async prepare(say: (message: string) => void): Promise<TrainerCommand> {
    if (!this.enabled) {
      throw new AppError('training.unavailable', { public: 'Training is switched off (RATCHET_TRAIN=off).' });
    }
    const interpreter = await this.environment.prepare(({ message }) => say(message));
    return nativeTrainer(interpreter, this.rootDir);
  }
}
