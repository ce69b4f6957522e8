import type { Command, CommandContext } from '../command.js';

interface Row {
  [column: string]: unknown;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '–';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function table(rows: Row[], columns: readonly string[]): string {
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export function listCommand(
  name: string,
  path: string,
  summary: string,
  columns: readonly string[],
): Command {
  return {
    name,
    usage: `ratchet ${name} [--limit N] [--cursor C] [--project NAME] [--json]`,
    summary,
    options: { limit: { type: 'string' }, cursor: { type: 'string' } },
    run: async (context: CommandContext) => {
      const query = new URLSearchParams();
      for (const key of ['limit', 'cursor']) {
        const value = context.options[key];
        if (typeof value === 'string') query.set(key, value);
      }
      const page = await context.api.get<{ items: Row[]; nextCursor: string | null }>(`${path}?${query}`);
      context.print(context.json ? JSON.stringify(page, null, 2) : table(page.items, columns));
      if (page.nextCursor !== null) context.note(`More: --cursor ${page.nextCursor}`);
      return 0;
    },
  };
}

export const listCommands: Command[] = [
  listCommand('buckets', '/api/v1/buckets', 'Lists failure buckets.', [
    'id',
    'status',
    'severity',
    'failures',
    'name',
  ]),
  listCommand('candidates', '/api/v1/candidates', 'Lists candidates and who serves.', [
    'id',
    'agent',
    'policyName',
    'state',
  ]),
  listCommand('gate', '/api/v1/gate-reports', 'Lists gate reports.', [
    'id',
    'agent',
    'candidateId',
    'createdAt',
  ]),
  listCommand('train', '/api/v1/training-runs', 'Lists training runs.', [
    'id',
    'agent',
    'state',
    'attempt',
    'error',
  ]),
  listCommand('evals', '/api/v1/eval-suites', 'Lists eval suites.', ['id', 'kind', 'version', 'cases']),
  listCommand('envs', '/api/v1/environments', 'Lists environments.', ['id', 'name', 'version', 'fidelity']),
  listCommand('schedule', '/api/v1/schedules', 'Shows the schedule of the nightly cycle.', [
    'name',
    'cron',
    'nextRunAt',
  ]),
];
