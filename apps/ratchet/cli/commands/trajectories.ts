import { createWriteStream, type WriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AppError, messageOf } from '#kernel/errors';
import { UsageError, type Command, type CommandContext, type ExitCode } from '../command.js';
import { ProgressLine } from '../progress.js';
import { listCommand } from './lists.js';

const FORMATS = ['openai-chat', 'openai-responses', 'atif', 'jsonl', 'parquet', 'otlp-json'];
const FILTERS = ['agent', 'outcome', 'category', 'bucket', 'since', 'until', 'q'] as const;
const PROGRESS_MS = 500;
const NEWLINE = 10;

const list = listCommand('trajectories', '/api/v1/trajectories', 'Lists trajectories, newest first.', [
  'id',
  'agent',
  'policy',
  'outcome',
  'startedAt',
]);

/** Bytes that went through, and lines where every line is a trajectory. */
class Counter extends Transform {
  bytes = 0;
  lines = 0;

  constructor(
    private readonly countsLines: boolean,
    private readonly changed: () => void,
  ) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void) {
    this.bytes += chunk.length;
    if (this.countsLines) for (const byte of chunk) if (byte === NEWLINE) this.lines += 1;
    this.changed();
    done(null, chunk);
  }

  get text(): string {
    const size = `${(this.bytes / (1024 * 1024)).toFixed(1)} MiB`;
    return this.countsLines ? `${this.lines} trajectories, ${size}` : size;
  }
}

async function exportAll(context: CommandContext): Promise<ExitCode> {
  const format = optionOf(context, 'format') ?? 'jsonl';
  if (!FORMATS.includes(format)) throw new UsageError(`--format is one of ${FORMATS.join(', ')}.`);
  const query = new URLSearchParams({ format });
  for (const filter of FILTERS) {
    const value = optionOf(context, filter);
    if (value !== undefined) query.set(filter === 'bucket' ? 'bucketId' : filter, value);
  }
  const out = optionOf(context, 'out');
  const body = await context.api.download(`/api/v1/trajectories/export?${query}`);
  const progress = new ProgressLine(process.stderr);
  let shownMs = performance.now();
  const counter = new Counter(format !== 'parquet', () => {
    if (context.json || performance.now() - shownMs < PROGRESS_MS) return;
    shownMs = performance.now();
    progress.show(counter.text);
  });
  await save(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), counter, out);
  progress.keep();
  context.note(out === undefined ? counter.text : `${out}: ${counter.text}`);
  return 0;
}

/** Into the file only when it is whole; to standard output as it comes. */
async function save(body: Readable, counter: Counter, out: string | undefined): Promise<void> {
  if (out === undefined) return ended(pipeline(body, counter, process.stdout as Writable, { end: false }));
  const part = `${out}.part`;
  const file: WriteStream = createWriteStream(part);
  try {
    await ended(pipeline(body, counter, file));
    await rename(part, out);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function ended(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    throw new AppError('store.unavailable', {
      public: `The export broke off and is not whole: ${messageOf(error)}. Run it again.`,
      cause: error,
    });
  }
}

function optionOf(context: CommandContext, name: string): string | undefined {
  const value = context.options[name];
  return typeof value === 'string' ? value : undefined;
}

export const trajectoriesCommand: Command = {
  name: 'trajectories',
  usage: [
    'ratchet trajectories [list] [--limit N] [--cursor C] [--project NAME] [--json]',
    `       ratchet trajectories export [--format ${FORMATS.join('|')}] [--out FILE] [--agent NAME]`,
    '         [--outcome success|failure|unknown] [--category NAME] [--bucket ID] [--since TIME] [--until TIME] [--q TEXT]',
  ].join('\n'),
  summary: 'Lists trajectories, newest first, or exports them as a file.',
  options: {
    ...list.options,
    format: { type: 'string' },
    out: { type: 'string' },
    ...Object.fromEntries(FILTERS.map((name) => [name, { type: 'string' as const }])),
  },
  run: (context) => {
    const [action = 'list', ...rest] = context.positionals;
    if (rest.length > 0) throw new UsageError(`"${rest.join(' ')}" is too much.`);
    if (action === 'list') return list.run(context);
    if (action === 'export') return exportAll(context);
    throw new UsageError(`There is no "${action}" of trajectories: use list or export.`);
  },
};
