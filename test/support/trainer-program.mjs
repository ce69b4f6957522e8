/**
 * A trainer that speaks the real job protocol and plays one fault: `node trainer-program.mjs ACT [FOLDER] --job PATH`.
 * Acts: succeed (copies FOLDER to the output as the adapter), die, hang, nan, failed, late (an event of an older attempt).
 * It ends when its standard input closes, as the real one does.
 */
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const args = process.argv.slice(2);
const jobAt = args.indexOf('--job');
const job = JSON.parse(readFileSync(args[jobAt + 1], 'utf8'));
const [act, folder] = args.slice(0, jobAt);

const say = (event, fencing = job.fencing) =>
  process.stdout.write(`${JSON.stringify({ at: new Date().toISOString(), fencing, ...event })}\n`);
const step = (number) => ({
  type: 'step',
  step: number,
  steps: 2,
  reward: 0.5,
  rewardStd: 0.4,
  zeroStdShare: 0,
  maskedShare: 0,
  entropy: 0.1,
  loss: 0,
  gradNorm: 0.1,
  completionTokensMean: 10,
  stepTimeMs: 1,
});

process.stdin.on('end', () => process.exit(3));
process.stdin.resume();
say({ type: 'phase', phase: 'training' });
say(step(1));

switch (act) {
  case 'succeed': {
    const adapterDir = join(job.outputDir, 'adapter');
    mkdirSync(job.outputDir, { recursive: true });
    cpSync(folder, adapterDir, { recursive: true });
    say({ type: 'done', adapterDir, chosenStep: 1, deltaNorm: 1, trainSeconds: 1 });
    process.exit(0);
    break;
  }
  case 'die':
    process.stderr.write('CUDA error: device lost\n');
    process.exit(139);
    break;
  case 'nan':
    process.stdout.write(`{"type": "step", "fencing": ${job.fencing}, "step": 2, "loss": NaN}\n`);
    break;
  case 'failed':
    say({ type: 'failed', kind: 'dead_reward', reason: 'no group differed in reward' });
    process.exit(1);
    break;
  case 'late':
    say(step(2), job.fencing - 1);
    break;
  case 'hang':
    break;
  default:
    process.exit(64);
}
