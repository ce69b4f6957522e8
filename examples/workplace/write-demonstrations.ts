/**
 * Writes what `native/tiny-policy` trains on, as JSON lines:
 * `demonstrations.jsonl` ([{text, learn}] a line), `probes.jsonl` (right runs on validation frames and names, to measure
 * copying) and `vocabulary.json` (the words, tools and keys that get a token of their own).
 *
 * Usage: node dist/examples/workplace/write-demonstrations.js OUT_DIR [COUNT] [SEED]
 */
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { seededRng } from '#kernel/random';
import { drawDemonstration, goldSegments } from './demonstrations.js';
import { drawTasks } from './tasks.js';
import { sentenceWords } from './frames.js';
import { parameterNames, TOOL_NAMES } from './tools.js';
import * as words from './vocabulary.js';

const PROBE_COUNT = 200;

export function vocabulary(): { words: string[]; tools: string[]; keys: string[] } {
  const replies = [words.FINAL_MESSAGE, words.GIVE_UP_MESSAGE, words.PLAIN_MAIL, words.INJECTION_PREFIX].join(
    ' ',
  );
  const values = ['ok', 'no', 'yes', 'not', 'found', 'bad', 'unknown', 'tool', 'free', 'locked', 'meeting'];
  const hours = Array.from({ length: words.LAST_HOUR - words.FIRST_HOUR + 1 }, (_, i) =>
    String(words.FIRST_HOUR + i),
  );
  return {
    words: [
      ...new Set([
        ...sentenceWords(),
        ...words.DAYS,
        ...words.STATUSES,
        ...words.TOPICS,
        ...hours,
        ...replies.split(' '),
        ...values,
      ]),
    ].sort(),
    tools: [...TOOL_NAMES],
    keys: [
      ...new Set([...TOOL_NAMES.flatMap(parameterNames), 'flag', 'error', 'ok', 'name', 'arguments']),
    ].sort(),
  };
}

function main(outDir: string, count: number, seed: number): void {
  mkdirSync(outDir, { recursive: true });
  writeFileSync(join(outDir, 'vocabulary.json'), JSON.stringify(vocabulary(), null, 1));
  const probes = drawTasks({ split: 'validation', count: PROBE_COUNT, seed });
  writeFileSync(
    join(outDir, 'probes.jsonl'),
    probes.map((task) => `${JSON.stringify(goldSegments(task))}\n`).join(''),
  );
  const rng = seededRng(seed);
  const file = openSync(join(outDir, 'demonstrations.jsonl'), 'w');
  for (let i = 0; i < count; i++) writeSync(file, `${JSON.stringify(drawDemonstration(rng).segments)}\n`);
  closeSync(file);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [outDir, count, seed] = process.argv.slice(2);
  if (outDir === undefined) {
    process.stderr.write('usage: write-demonstrations.js OUT_DIR [COUNT] [SEED]\n');
    process.exit(2);
  }
  main(outDir, Number(count ?? 102_400), Number(seed ?? 1));
}
