import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '#kernel/errors';
import { UsageError, type Command, type CommandContext, type ExitCode } from '../command.js';

interface ImportAnswer {
  accepted: number;
  rejected: { line: number; error: string }[];
  trajectoryIds: string[];
}

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

async function run(context: CommandContext): Promise<ExitCode> {
  if (context.positionals.length === 0) throw new UsageError('Name at least one file.');
  const format = typeof context.options['format'] === 'string' ? context.options['format'] : 'auto';
  const answers: Record<string, ImportAnswer> = {};
  for (const file of context.positionals) {
    const answer = await importOne(context, file, format);
    answers[file] = answer;
    context.note(`${basename(file)}: ${answer.accepted} accepted, ${answer.rejected.length} rejected`);
    for (const { line, error } of answer.rejected.slice(0, 10)) context.note(`  line ${line}: ${error}`);
  }
  if (context.json) context.print(JSON.stringify(answers, null, 2));
  const totals = Object.values(answers);
  return totals.some((answer) => answer.accepted > 0) ||
    totals.every((answer) => answer.rejected.length === 0)
    ? 0
    : 1;
}

export const importCommand: Command = {
  name: 'import',
  usage: 'ratchet import FILE… [--format auto|tau-bench|otlp-json|…] [--project NAME] [--json]',
  summary: 'Takes trajectories from files (JSON, JSONL, .gz); every row gets a verdict.',
  options: { format: { type: 'string' } },
  run,
};
