import { readFile } from 'node:fs/promises';
import type { Cycle } from '#contracts/cycle';
import type { GateCheck, GateReport } from '#contracts/gate';
import { messageOf } from '#kernel/errors';
import { UsageError, type Command, type CommandContext, type ExitCode } from '../command.js';
import { progressBar, ProgressLine } from '../progress.js';

const POLL_MS = 1_000;

interface CycleWithReport extends Cycle {
  gateReport: { report: GateReport } | null;
}

async function recipeBody(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The recipe ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`The recipe ${file} is not JSON: ${messageOf(error)}`);
  }
}

function exitCodeOf(cycle: Cycle): ExitCode {
  if (cycle.verdict === 'promoted') return 0;
  return cycle.verdict === 'blocked' ? 3 : 1;
}

const number = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

function checkLine(check: GateCheck): string {
  const bounds = `${number(check.baseline)} → ${number(check.candidate)} [${number(check.lower)}, ${number(check.upper)}]`;
  return `  ${check.status.padEnd(12)} ${check.id.padEnd(44)} ${bounds}`;
}

function describe(cycle: CycleWithReport): string {
  const lines = cycle.stages.map(
    (stage) => `${stage.state.padEnd(8)} ${stage.name.padEnd(10)} ${stage.summary ?? ''}`,
  );
  const report = cycle.gateReport?.report;
  if (report)
    lines.push(
      '',
      `Gate: ${report.verdict}`,
      ...report.checks.filter((check) => check.status !== 'skipped').map(checkLine),
    );
  lines.push('', `Verdict: ${cycle.verdict ?? 'none yet'}${cycle.reason ? ` (${cycle.reason})` : ''}`);
  return lines.join('\n');
}

async function waitFor(context: CommandContext, id: string): Promise<CycleWithReport> {
  const line = new ProgressLine(process.stderr);
  process.once('SIGINT', () => {
    process.stderr.write(
      `\nThe cycle goes on in Ratchet. Watch it again with: npx ratchet cycle --id ${id} --wait\n`,
    );
    process.exit(130);
  });
  for (;;) {
    const cycle = await context.api.get<CycleWithReport>(`/api/v1/cycles/${encodeURIComponent(id)}`);
    const running = cycle.stages.find((stage) => stage.state === 'running');
    if (!context.json && running)
      line.show(`${progressBar(running.progress)} ${running.name}: ${running.summary ?? '…'}`);
    if (cycle.state === 'done' || cycle.state === 'failed') {
      line.keep();
      return cycle;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function run(context: CommandContext): Promise<ExitCode> {
  const { recipe, id, wait, agent, seed } = context.options;
  let cycleId = typeof id === 'string' ? id : null;
  if (cycleId === null) {
    const body = {
      ...(typeof agent === 'string' ? { agent } : {}),
      ...(typeof seed === 'string' ? { seed: Number(seed) } : {}),
      recipe: await recipeBody(typeof recipe === 'string' ? recipe : undefined),
    };
    const created = await context.api.post<Cycle>('/api/v1/cycles', body, {
      'idempotency-key': crypto.randomUUID(),
    });
    cycleId = created.id;
    context.note(`Cycle ${cycleId} is queued.`);
  }
  if (wait !== true) {
    const cycle = await context.api.get<CycleWithReport>(`/api/v1/cycles/${encodeURIComponent(cycleId)}`);
    context.print(context.json ? JSON.stringify(cycle, null, 2) : describe(cycle));
    return 0;
  }
  const cycle = await waitFor(context, cycleId);
  context.print(context.json ? JSON.stringify(cycle, null, 2) : describe(cycle));
  return exitCodeOf(cycle);
}

export const cycleCommand: Command = {
  name: 'cycle',
  usage: 'ratchet cycle [--recipe FILE] [--agent NAME] [--seed N] [--wait] [--id CYCLE] [--json]',
  summary: 'Turns the loop once: buckets, baseline, training, gate, promotion.',
  options: {
    recipe: { type: 'string' },
    agent: { type: 'string' },
    seed: { type: 'string' },
    id: { type: 'string' },
    wait: { type: 'boolean' },
  },
  run,
};
