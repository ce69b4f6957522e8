/** Every file of real runs beside the project, through the same reading that an import does; the store has no part in it. */
import { createReadStream, existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { projectRoot } from '#platform/runtime';
import { BadRow, type RowContent } from '../formats/format.js';
import { FORMATS } from '../formats/index.js';
import { readDocuments } from './documents.js';
import { parseRow } from './parse-row.js';

const DATA = join(projectRoot(), '..', 'shared', 'data');
const describeData = existsSync(DATA) ? describe : describe.skip;

/** Folder, files, the format of their rows, and which rows may be refused and why. */
const TABLE: [folder: string, files: RegExp, format: string, refused: RegExp | null][] = [
  ['tau-bench-airline', /\.json(\.gz)?$/, 'tau-bench', null],
  ['agentrx-tau-retail', /^(trajectories|sample).*\.json(\.gz)?$/, 'tau-bench', null],
  ['agentdojo-banking-slack', /\.jsonl(\.gz)?$/, 'agentdojo', /header of the file/],
  ['who-and-when-algorithm-generated', /\.jsonl?(\.gz)?$/, 'who-and-when', null],
  ['assebench-security', /\.json(\.gz)?$/, 'assebench', null],
  ['mint', /\.jsonl\.gz$/, 'mint', null],
  ['toolbench', /\.json\.gz$/, 'toolbench', null],
  ['toolbench/dfs-trees', /\.json\.gz$/, 'toolbench', null],
  ['swe-agent', /\.traj$/, 'swe-agent', null],
  ['swe-agent', /^mini.*\.json$/, 'mini-swe-agent', null],
  ['nemo-gym-rollouts', /example_rollouts\.jsonl(\.gz)?$/, 'nemo-gym', null],
  ['langfuse-framework-traces', /(\.trace|^seeder.*)\.json$/, 'langfuse', null],
  ['otlp-json', /(\.otlp|trace)\.json$/, 'otlp-json', null],
  ['llm-api-cassettes', /^(openai--|llamaindex).*\.json$/, 'openai-chat', null],
  ['llm-api-cassettes', /^anthropic.*\.json$/, 'anthropic', null],
  ['llm-api-cassettes', /^openai-agents.*\.json$/, 'openai-responses', /no import format knows/],
];

/** What lies there beside runs: tasks, labels, texts, the oracle of a format, single spans for the dialects' tests. */
const NO_RUNS: RegExp[] = [
  /(README\.md|LICENSE.*\.txt)$/,
  /^bfcl\//,
  /^agentrx-tau-retail\/(ground_truth\.json|retail_policy\.txt)$/,
  /^nemo-gym-rollouts\/.*\.example\.jsonl(\.gz)?$/,
  /^langfuse-framework-traces\/.*\.chatml\.json$/,
  /^otlp-json\/langwatch\..*\.json$/,
];

interface ReadFile {
  contents: RowContent[];
  formats: Set<string>;
  refused: string[];
}

function bytesOf(path: string): Readable {
  const file = createReadStream(path);
  return path.endsWith('.gz') ? file.pipe(createGunzip()) : file;
}

async function readFile(path: string): Promise<ReadFile> {
  const read: ReadFile = { contents: [], formats: new Set(), refused: [] };
  const knows = (value: unknown): boolean => FORMATS.some((format) => format.detects(value));
  for await (const row of readDocuments(bytesOf(path), knows)) {
    try {
      if ('error' in row) throw new BadRow(row.error);
      const value = parseRow(row.text);
      const format = FORMATS.find((one) => one.detects(value));
      if (format === undefined) throw new BadRow('no import format knows this row');
      read.contents.push(format.read(value));
      read.formats.add(format.name);
    } catch (error) {
      if (!(error instanceof BadRow)) throw error;
      read.refused.push(`line ${row.line}: ${error.message}`);
    }
  }
  return read;
}

const filesOf = (folder: string, files: RegExp): string[] =>
  readdirSync(join(DATA, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile() && files.test(entry.name))
    .map((entry) => join(DATA, folder, entry.name));

describeData('the real runs beside the project', () => {
  let rows = 0;
  let lost = 0;

  it.each(TABLE)('%s %s are read as %s, row by row', async (folder, files, format, refused) => {
    const paths = filesOf(folder, files);
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) {
      const read = await readFile(path);
      const unexpected = read.refused.filter((reason) => refused?.test(reason) !== true);
      expect([path, unexpected]).toEqual([path, []]);
      expect([path, [...read.formats]]).toEqual([path, [format]]);
      rows += read.contents.length;
      lost += unexpected.length;
      for (const content of read.contents) expectSteps(content);
    }
  });

  it('no file is left out: each holds runs, or is known to hold none', () => {
    const files = readdirSync(DATA, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.parentPath !== DATA)
      .map((entry) => relative(DATA, join(entry.parentPath, entry.name)));
    const walked = new Set(
      TABLE.flatMap(([folder, names]) => filesOf(folder, names)).map((path) => relative(DATA, path)),
    );
    expect(files.filter((file) => !walked.has(file) && !NO_RUNS.some((known) => known.test(file)))).toEqual(
      [],
    );
  });

  it('at least 99.9 % of the rows that hold a run are taken', () => {
    expect(rows).toBeGreaterThan(1_000);
    expect(lost / (rows + lost)).toBeLessThanOrEqual(0.001);
  });
});

/** Steps in order, each with a name of its own; every result that names its call is joined to one. */
function expectSteps(content: RowContent): void {
  if (content.kind === 'spans') {
    expect(content.spans.length).toBeGreaterThan(0);
    return;
  }
  const { steps } = content.trajectory;
  expect(steps.length).toBeGreaterThan(0);
  expect(steps.map((step) => step.index)).toEqual(steps.map((_step, index) => index));
  expect(new Set(steps.map((step) => step.stepId)).size).toBe(steps.length);
  expect(Object.keys(content.trajectory.metadata).filter((key) => key === 'reward')).toEqual([]);
}
