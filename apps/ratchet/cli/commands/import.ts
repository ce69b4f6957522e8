import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError, messageOf } from '#kernel/errors';
import { UsageError, type Command, type CommandContext, type ExitCode } from '../command.js';

interface ImportAnswer {
  accepted: number;
  rejected: { line: number; error: string }[];
  trajectoryIds: string[];
}
interface BucketRow {
  id: string;
  agent: string;
  name: string;
  failures: number;
}
interface CasesAnswer {
  cases: { id: string; status: string }[];
  skipped: { trajectoryId: string; reason: string }[];
}
/** What became of the imported failures. */
interface LoopAnswer {
  buckets: number;
  evalCases: number;
  ready: number;
  skipped: CasesAnswer['skipped'];
  environments: string[];
}

const TRIAGE_MS = 120_000;
const SAMPLE = 20;

async function importOne(context: CommandContext, file: string, format: string): Promise<ImportAnswer> {
  let body: Uint8Array;
  try {
    body = await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${messageOf(error)}`);
  }
  const type = file.endsWith('.gz')
    ? 'application/gzip'
    : file.endsWith('.jsonl')
      ? 'application/x-ndjson'
      : 'application/json';
  return context.api.upload<ImportAnswer>(`/api/v1/import?format=${encodeURIComponent(format)}`, body, type);
}

/** Waits until a sample of the trajectories, the last ones among them, was triaged. */
async function waitForTriage(context: CommandContext, ids: readonly string[]): Promise<void> {
  const end = performance.now() + TRIAGE_MS;
  for (const id of ids.slice(-SAMPLE)) {
    for (;;) {
      const { triage } = await context.api.get<{ triage: { state: string } }>(`/api/v1/trajectories/${id}`);
      if (triage.state !== 'pending') break;
      if (performance.now() > end) {
        throw new AppError('store.unavailable', {
          public:
            'The imported trajectories are stored, but their triage has not ended yet. Run the same command again later.',
        });
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** Buckets become eval cases, and the accepted ones a next-action environment of their agent. */
async function casesOfBuckets(context: CommandContext): Promise<LoopAnswer> {
  const { items } = await context.api.get<{ items: BucketRow[] }>('/api/v1/buckets?limit=500');
  const answer: LoopAnswer = { buckets: items.length, evalCases: 0, ready: 0, skipped: [], environments: [] };
  const agents = new Set<string>();
  for (const bucket of items) {
    const drafted = await context.api.post<CasesAnswer>(`/api/v1/buckets/${bucket.id}/eval-cases`, {});
    const ready = drafted.cases.filter((one) => one.status === 'ready').length;
    answer.evalCases += drafted.cases.length;
    answer.ready += ready;
    answer.skipped.push(...drafted.skipped);
    if (ready > 0) agents.add(bucket.agent);
    context.note(
      `  ${bucket.name}: ${drafted.cases.length} eval cases (${ready} ready), ${drafted.skipped.length} not possible`,
    );
  }
  for (const agent of agents) {
    const environment = await context.api.post<{ id: string }>('/api/v1/environments', { agent });
    answer.environments.push(environment.id);
  }
  return answer;
}

async function run(context: CommandContext): Promise<ExitCode> {
  if (context.positionals.length === 0) throw new UsageError('Name at least one file.');
  const format = typeof context.options['format'] === 'string' ? context.options['format'] : 'auto';
  const files: Record<string, ImportAnswer> = {};
  for (const file of context.positionals) {
    const answer = await importOne(context, file, format);
    files[file] = answer;
    context.note(`${basename(file)}: ${answer.accepted} accepted, ${answer.rejected.length} rejected`);
    for (const { line, error } of answer.rejected.slice(0, 10)) context.note(`  line ${line}: ${error}`);
  }
  const totals = Object.values(files);
  await waitForTriage(
    context,
    totals.flatMap((answer) => answer.trajectoryIds),
  );
  const loop = context.options['no-cases'] === true ? null : await casesOfBuckets(context);
  if (context.json) context.print(JSON.stringify({ files, loop }, null, 2));
  else if (loop) {
    const made =
      loop.environments.length > 0
        ? `environments ${loop.environments.join(', ')}`
        : 'no environment yet: no case is ready without a person';
    context.print(`${loop.buckets} buckets, ${loop.evalCases} eval cases (${loop.ready} ready), ${made}`);
  }
  return totals.some((answer) => answer.accepted > 0) ||
    totals.every((answer) => answer.rejected.length === 0)
    ? 0
    : 1;
}

/** Files of other people's agents go into a project of their own unless one is named. */
export const IMPORT_PROJECT = 'imported';

export const importCommand: Command = {
  name: 'import',
  usage: 'ratchet import FILE… [--format auto|NAME] [--project NAME] [--no-cases] [--json]',
  summary: 'Takes trajectories from files; every row gets a verdict, every bucket its eval cases.',
  options: { format: { type: 'string' }, 'no-cases': { type: 'boolean' } },
  defaultProject: IMPORT_PROJECT,
  run,
};
