import { join } from 'node:path';
import type { TrainerCommand } from '#loop/training';

export type TrainerAct = 'succeed' | 'die' | 'hang' | 'nan' | 'failed' | 'late';

/** The scripted trainer as a command; `folder` is the adapter it succeeds with. */
export function scriptedTrainer(act: TrainerAct, folder?: string): TrainerCommand {
  const program = join(import.meta.dirname, 'trainer-program.mjs');
  return {
    command: process.execPath,
    args: [program, act, ...(folder === undefined ? [] : [folder])],
    cwd: import.meta.dirname,
  };
}
